"""The command line, and what it runs."""

import os

# gRPC's core writes to the standard error stream what it also says as statuses. It reads this when it is
# first imported, so here is the last place; the stages that are started inherit it.
os.environ.setdefault("GRPC_VERBOSITY", "NONE")
