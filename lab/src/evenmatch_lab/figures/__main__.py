"""Fill the figures of the README and the docs: python -m evenmatch_lab.figures."""

import sys
from pathlib import Path

from evenmatch.errors import EvenmatchError
from evenmatch.frontends.console import print_error
from evenmatch_lab.figures import Filler, pages


def main() -> int:
    """Fill the pages of the current folder, name those that changed; return the exit code."""
    filler = Filler(Path("docs") / "results")
    try:
        for path in pages(Path()):
            before = path.read_text(encoding="utf-8")
            after = filler.filled(before)
            if after != before:
                path.write_text(after, encoding="utf-8")
                print(path)
    except EvenmatchError as error:
        print_error(error)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
