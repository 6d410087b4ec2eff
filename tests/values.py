"""Strategies for the values that travel between the processes."""

import string

import numpy as np
from hypothesis import strategies as st

from arcscribe.convert.options import MAX_NEW_TOKENS, MAX_READ_PIXELS
from arcscribe.document import (
    AssembledMarkdown,
    Heading,
    LineCounts,
    MarkdownOptions,
    PageFailure,
    ParsedPage,
    PictureMode,
    TableFormat,
)
from arcscribe.events import (
    DocumentDone,
    DocumentOpened,
    PageDone,
    ParseOptions,
    Picture,
    Progress,
    RegionDone,
    RegionPartial,
)
from arcscribe.types import (
    Block,
    Box,
    Crop,
    FinishReason,
    PageLayout,
    PartialText,
    RecognizeOptions,
    Region,
    RegionFailure,
    RegionKind,
    RegionText,
    SpottedText,
    StageModel,
    TextFormat,
    TextLine,
)

texts = st.text(max_size=20)
names = st.text(string.ascii_letters + string.digits + "-_.", min_size=3, max_size=20)
counts = st.integers(0, 2**32 - 1)
amounts = st.floats(0, 2**20, width=32)
shares = st.floats(0, 1, width=32)
coordinates = st.floats(-100_000, 100_000, width=32)
points = st.tuples(coordinates, coordinates)
quadrilaterals = st.tuples(points, points, points, points)

boxes = st.builds(Box, coordinates, coordinates, coordinates, coordinates)
lines = st.builds(TextLine, boxes, quadrilaterals, shares, st.booleans())
regions = st.builds(
    Region,
    id=counts,
    kind=st.sampled_from(RegionKind),
    label=texts,
    score=shares,
    box=boxes,
    polygon=st.lists(points, max_size=6).map(tuple),
    lines=st.lists(lines, max_size=3).map(tuple),
)
models = st.builds(StageModel, texts, texts, texts)
timings = st.lists(st.tuples(texts, amounts), max_size=3).map(tuple)
layouts = st.builds(
    PageLayout,
    rotation=st.sampled_from((0, 90, 180, 270)),
    width=counts,
    height=counts,
    regions=st.lists(regions, max_size=3, unique_by=lambda region: region.id).map(tuple),
    model=models,
    timings_ms=timings,
)

recognize_options = st.builds(
    RecognizeOptions,
    max_new_tokens=st.integers(0, MAX_NEW_TOKENS),
    partial_text=st.booleans(),
    temperature=st.floats(0, 2, width=32),
    top_p=shares,
    repetition_penalty=st.just(0.0) | st.floats(0.125, 10, width=32),
    seed=counts,
    min_pixels=st.integers(0, 1000),
    max_pixels=st.just(0) | st.integers(1000, MAX_READ_PIXELS),
    prompt=texts,
)
images = st.tuples(st.integers(1, 9), st.integers(1, 9), st.integers(0, 2**32 - 1)).map(
    lambda made: np.random.default_rng(made[2]).integers(0, 256, (made[0], made[1], 3), np.uint8)
)
near_points = st.tuples(*[st.floats(-90, 90, width=32)] * 2)
lines_of_crops = st.builds(TextLine, boxes, st.tuples(*[near_points] * 4), shares, st.booleans())
crops = st.builds(
    Crop,
    id=st.integers(0, 2**64 - 1),
    kind=st.sampled_from(RegionKind),
    pixels=images,
    lines=st.lists(lines_of_crops, max_size=3).map(tuple),
    draft=texts,
    options=recognize_options,
)

region_texts = st.builds(
    RegionText,
    text=texts,
    format=st.sampled_from(TextFormat),
    finish_reason=st.sampled_from(FinishReason),
    engine=texts,
    model=texts,
    milliseconds=amounts,
    confidence=st.none() | shares,
    prompt_tokens=counts,
    generated_tokens=counts,
    draft_tokens=counts,
    spotted=st.lists(st.builds(SpottedText, texts, quadrilaterals), max_size=2).map(tuple),
)
partial_texts = st.builds(PartialText, texts)
region_failures = st.builds(RegionFailure, texts, texts)
blocks = st.builds(Block, regions, region_texts | region_failures, texts)
pages = st.builds(
    ParsedPage,
    number=counts,
    width=counts,
    height=counts,
    rotation=st.sampled_from((0, 90, 180, 270)),
    blocks=st.lists(blocks, max_size=2).map(tuple),
    failure=st.none() | st.builds(PageFailure, texts, texts),
    layout_model=st.none() | models,
    timings_ms=timings,
)

markdown_options = st.builds(
    MarkdownOptions,
    st.sampled_from(TableFormat),
    st.sampled_from(PictureMode),
    texts,
    st.booleans(),
    st.booleans(),
)
parse_options = st.builds(
    ParseOptions,
    pages=texts,
    password=texts,
    dpi=counts,
    skip_orientation=st.booleans(),
    overlays=st.booleans(),
    layout_only=st.booleans(),
    markdown=markdown_options,
    recognize=recognize_options,
)
line_counts = st.builds(LineCounts, counts, counts, counts, counts)
markdowns = st.builds(
    AssembledMarkdown,
    text=texts,
    outline=st.lists(st.builds(Heading, counts, texts, counts, counts), max_size=3).map(tuple),
    line_counts=st.lists(line_counts, max_size=3).map(tuple),
)
pictures = st.builds(Picture, names.filter(lambda name: name.strip(".")), st.binary(max_size=9))
events = (
    st.builds(DocumentOpened, texts, counts, counts, texts)
    | st.builds(RegionPartial, counts, counts, counts, texts)
    | st.builds(RegionDone, counts, blocks)
    | st.builds(PageDone, pages, st.lists(pictures, max_size=2).map(tuple), st.binary(max_size=9))
    | st.builds(DocumentDone, markdowns, amounts)
    | st.builds(Progress, counts, counts, counts)
)
