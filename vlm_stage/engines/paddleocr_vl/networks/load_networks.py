"""The three networks of a converted model, compiled for a device."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from arcscribe.errors import InvalidConfig
from arcscribe.inference.openvino import (
    OpenVinoSettings,
    check_cache_dir,
    check_device,
    compile_network,
    read_network,
)
from vlm_stage.engines.paddleocr_vl.graphs.paged import to_paged
from vlm_stage.engines.paddleocr_vl.manifest import DECODER, EMBEDDINGS, VISION
from vlm_stage.engines.paddleocr_vl.model_config import VisionConfig
from vlm_stage.engines.paddleocr_vl.networks.device_plan import DevicePlan, plan_device
from vlm_stage.engines.paddleocr_vl.networks.embedder import Embedder
from vlm_stage.engines.paddleocr_vl.networks.paged_decoder import PagedDecoder
from vlm_stage.engines.paddleocr_vl.networks.vision_encoder import VisionEncoder
from vlm_stage.engines.paddleocr_vl.settings import PaddleOcrVlSettings


@dataclass(frozen=True, slots=True, eq=False)
class Networks:
    """What a device runs; the embedder is on the host, whatever the device."""

    vision: VisionEncoder
    embedder: Embedder
    decoder: PagedDecoder


def plan_for(settings: PaddleOcrVlSettings, device: str) -> DevicePlan:
    """How a device is to run the networks.

    Raises:
        DeviceMissing: OpenVINO does not see it.
        InvalidConfig: `cache_dir` cannot be written to.
    """
    check_device(device)
    check_cache_dir(settings.cache_dir)
    return plan_device(
        OpenVinoSettings(device, settings.threads, settings.cache_dir),
        inference_precision=settings.inference_precision,
        vision_precision=settings.vision_precision,
        kv_precision=settings.kv_precision,
        patch_buckets=settings.patch_buckets,
    )


def load_networks(folder: Path, config: VisionConfig, plan: DevicePlan, kv_memory_mb: int) -> Networks:
    """The networks of the converted model in a folder.

    Raises:
        ModelMissing: a file is not there, or no network.
        DeviceMissing: OpenVINO does not see the device.
        InvalidConfig: it cannot compile with these settings, or the memory for KV blocks holds none.
    """
    return Networks(
        load_vision(folder, config, plan), load_embedder(folder), _decoder(folder, plan, kv_memory_mb)
    )


def load_vision(folder: Path, config: VisionConfig, plan: DevicePlan) -> VisionEncoder:
    """The vision encoder; raises as `load_networks` does."""
    network = read_network(folder / VISION)
    with _named(f'vision_precision = "{plan.vision_precision}"'):
        compiled = compile_network(network, plan.openvino, properties=plan.vision_properties())
    return VisionEncoder(compiled, config, plan.buckets)


def load_embedder(folder: Path) -> Embedder:
    """The embeddings; raises ModelMissing where the file is not there, or no table."""
    return Embedder(read_network(folder / EMBEDDINGS))


def _decoder(folder: Path, plan: DevicePlan, kv_memory_mb: int) -> PagedDecoder:
    network = read_network(folder / DECODER)
    to_paged(network)
    with _named(f'inference_precision = "{plan.inference_precision}", kv_precision = "{plan.kv_precision}"'):
        compiled = compile_network(network, plan.openvino, properties=plan.decoder_properties())
    return PagedDecoder(compiled, kv_memory_mb)


@contextmanager
def _named(settings: str) -> Iterator[None]:
    """Puts before what OpenVINO says which settings it means: not all combinations compile on a device."""
    try:
        yield
    except InvalidConfig as error:
        raise InvalidConfig(f"[paddleocr_vl] {settings}: {error.message}") from error
