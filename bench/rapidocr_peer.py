"""The peer: rapidocr alone, OpenVINO engine, its default models, in a process of its own.

It says `ready` once all of its models are loaded; then, for each line it is given, it reads the pages and
says how many seconds that took.
"""

import sys
import time
from typing import Any

from rapidocr import EngineType, RapidOCR


def load(threads: int) -> Any:
    """An engine with all three models loaded; left alone, it loads each at its first use."""
    engine = RapidOCR(
        params={
            "Global.log_level": "error",
            "EngineConfig.openvino.inference_num_threads": threads,
            **{f"{part}.engine_type": EngineType.OPENVINO for part in ("Det", "Cls", "Rec")},
        }
    )
    for step in ("det", "cls", "rec"):
        getattr(engine, f"_load_{step}_model")()
    return engine


def main() -> None:
    threads, *pages = sys.argv[1:]
    engine = load(int(threads))
    print("ready", flush=True)
    for _ in sys.stdin:
        started = time.perf_counter()
        lines = sum(len(engine(page).txts or ()) for page in pages)
        print(f"{time.perf_counter() - started:.3f} {lines}", flush=True)


if __name__ == "__main__":
    main()
