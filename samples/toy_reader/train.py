"""Train the toy reader; stops and goes on where it was.

python -m samples.toy_reader.train --out RUN --checkpoint FOLDER
"""

import argparse
import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import torch
from transformers import PaddleOCRVLConfig, PaddleOCRVLForConditionalGeneration

from samples.checkpoints.settings import config_json
from samples.toy_reader.batches import Batch, random_batches
from samples.toy_reader.export import export
from samples.toy_reader.objectives import dense_heads, reading_loss, seeing_loss
from samples.toy_reader.sizes import READER
from samples.toy_reader.wording import LONGEST

SEED = 20_261_130
THREADS = 2
BATCH = 64
CLIP = 1.0
STATE_FILE = "state.pt"
REPORTED = 50


@dataclass(frozen=True, slots=True)
class Schedule:
    """Steps of the run: short texts first; seeing first, then reading too; the rate falls in a cosine."""

    steps: int = 6_000
    seeing_alone: int = 1_200
    short_texts: int = 400
    short: int = 8
    warm_up: int = 200
    rate: float = 2e-3
    final_rate: float = 2e-5

    def rate_at(self, step: int) -> float:
        """The learning rate of a step."""
        height = (1 + math.cos(math.pi * min(1.0, step / self.steps))) / 2
        rate = self.final_rate + (self.rate - self.final_rate) * height
        return rate * min(1.0, (step + 1) / self.warm_up)

    def longest_at(self, step: int) -> int:
        """The longest text of a step, in characters."""
        return self.short if step < self.short_texts else LONGEST


class Run:
    """A model in training, with what it takes to go on: optimiser, step, number of the pool of lines."""

    def __init__(self, folder: Path, schedule: Schedule) -> None:
        torch.manual_seed(SEED)
        torch.set_num_threads(THREADS)
        self.schedule = schedule
        config = PaddleOCRVLConfig(**config_json(READER, "transformers", "f32"))
        self.model = PaddleOCRVLForConditionalGeneration(config)
        self.heads = dense_heads(READER.vision.hidden_size, READER.text.hidden_size)
        self.parameters = [*self.model.parameters(), *self.heads.parameters()]
        self.optimiser = torch.optim.AdamW(self.parameters, betas=(0.9, 0.98), weight_decay=0.01, fused=True)
        self.step, self.pool = 0, 0
        self._file = folder / STATE_FILE
        folder.mkdir(parents=True, exist_ok=True)
        if self._file.exists():
            self._load()

    def _load(self) -> None:
        state = torch.load(self._file, weights_only=True)
        self.model.load_state_dict(state["model"])
        self.heads.load_state_dict(state["heads"])
        self.optimiser.load_state_dict(state["optimiser"])
        self.step, self.pool = state["step"], state["pool"]

    def save(self) -> None:
        """Keep the run, in one move."""
        state = {
            "model": self.model.state_dict(),
            "heads": self.heads.state_dict(),
            "optimiser": self.optimiser.state_dict(),
            "step": self.step,
            "pool": self.pool,
        }
        part = self._file.with_suffix(".part")
        torch.save(state, part)
        part.replace(self._file)

    def batches(self) -> Iterator[Batch]:
        """Batches until the schedule ends; saves after each pool of lines."""
        while self.step < self.schedule.steps:
            yield from random_batches(SEED, self.pool, BATCH, self.schedule.longest_at(self.step))
            self.pool += 1
            self.save()

    def learn(self, batch: Batch) -> dict[str, float]:
        """One step; gives figures."""
        for group in self.optimiser.param_groups:
            group["lr"] = self.schedule.rate_at(self.step)
        image, losses = seeing_loss(self.model, self.heads, batch)
        total, figures = losses.total, losses.figures
        if self.step >= self.schedule.seeing_alone:
            reading = reading_loss(self.model, self.heads, image, batch)
            total, figures = total + reading.total, figures | reading.figures
        self.optimiser.zero_grad()
        total.backward()
        torch.nn.utils.clip_grad_norm_(self.parameters, CLIP)
        self.optimiser.step()
        self.step += 1
        return figures


def train(run: Run) -> None:
    """Train to the end of the schedule, and print figures now and then."""
    began = time.monotonic()
    seen: list[dict[str, float]] = []
    for batch in run.batches():
        seen.append(run.learn(batch))
        if run.step % REPORTED == 0:
            means = (f"{key} {sum(figures[key] for figures in seen) / len(seen):.4f}" for key in seen[0])
            print(f"step {run.step}, {time.monotonic() - began:.0f} s:", *means, flush=True)
            seen = []


def main() -> None:
    """Train, and write the checkpoint."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="folder of the run's state")
    parser.add_argument("--checkpoint", type=Path, required=True, help="folder of the checkpoint to write")
    parser.add_argument("--steps", type=int, default=Schedule().steps)
    options = parser.parse_args()
    run = Run(options.out, Schedule(steps=options.steps))
    train(run)
    export(run.model, options.checkpoint)


if __name__ == "__main__":
    main()
