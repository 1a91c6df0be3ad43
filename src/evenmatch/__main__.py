"""``python -m evenmatch`` is ``evenmatch``."""

from evenmatch.frontends.cli import main

if __name__ == "__main__":
    main()
