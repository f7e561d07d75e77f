"""`python -m paribus`, the same as `paribus`."""

from paribus.cli import main

if __name__ == "__main__":
    main()
