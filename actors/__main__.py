"""`python -m actors` is the command `portsim`."""

from .cli import main

if __name__ == "__main__":
    main()
