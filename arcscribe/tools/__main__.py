"""`python -m arcscribe.tools`: the `arcscribe` command, for where its script is not on the path."""

from arcscribe.tools.main import main

main()
