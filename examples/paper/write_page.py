"""Write docs/explanation/the-paper.md (filled in below)."""


def main() -> None:
    """Write the page."""
