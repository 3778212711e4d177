"""``python -m text2mem``: the command line."""

from text2mem.cli.main import main

if __name__ == "__main__":
    main()
