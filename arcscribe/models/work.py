"""How far a long piece of work is: a JSON line from the process that does it to the command that waits."""

import msgspec


class WorkStep(msgspec.Struct, frozen=True, tag="step"):
    """What is done now, and how much of that is done, from 0 to 1."""

    stage: str
    fraction: float
