"""paribus beside the tools that a user would otherwise pick: `make rivals`.

Each tool runs in the environment that it needs: paribus in `.venv`, the authors' package in
`build/stratx-venv`, the others in `build/rivals-venv`. `python -m rivals` (with `benchmarks` on the
path) starts a worker there for each measurement, keeps what it says, and writes
`benchmarks/results/rivals.json` and `docs/explanation/rivals.md`.
"""
