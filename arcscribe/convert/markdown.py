"""Messages into types and back: how Markdown is to be written, and the Markdown of a document."""

from arcscribe.convert.enums import item_of
from arcscribe.document import (
    AssembledMarkdown,
    Heading,
    LineCounts,
    MarkdownOptions,
    PictureMode,
    TableFormat,
)
from arcscribe.v1 import parse_pb2

_TABLE_FORMATS = {item: parse_pb2.TableFormat.Value(f"TABLE_FORMAT_{item.name}") for item in TableFormat}
_PICTURE_MODES = {item: parse_pb2.PictureMode.Value(f"PICTURE_MODE_{item.name}") for item in PictureMode}


def markdown_options_to_message(options: MarkdownOptions) -> parse_pb2.ParseOptions:
    """A ParseOptions message with the fields that concern Markdown set."""
    return parse_pb2.ParseOptions(
        table_format=_TABLE_FORMATS[options.table_format],
        picture_mode=_PICTURE_MODES[options.picture_mode],
        picture_folder=options.picture_folder,
        page_breaks=options.page_breaks,
        headers_and_footers=options.headers_and_footers,
    )


def markdown_options_from_message(message: parse_pb2.ParseOptions) -> MarkdownOptions:
    """How a document becomes Markdown; what is not set means the default.

    Raises:
        InvalidOption: a value that this version does not know.
    """
    default = MarkdownOptions()
    table_format = message.table_format or _TABLE_FORMATS[default.table_format]
    picture_mode = message.picture_mode or _PICTURE_MODES[default.picture_mode]
    return MarkdownOptions(
        table_format=item_of(_TABLE_FORMATS, table_format, "table_format"),
        picture_mode=item_of(_PICTURE_MODES, picture_mode, "picture_mode"),
        picture_folder=message.picture_folder,
        page_breaks=message.page_breaks,
        headers_and_footers=message.headers_and_footers,
    )


def heading_to_message(heading: Heading) -> parse_pb2.Heading:
    return parse_pb2.Heading(
        level=heading.level, text=heading.text, page_number=heading.page_number, region_id=heading.region_id
    )


def heading_from_message(message: parse_pb2.Heading) -> Heading:
    return Heading(message.level, message.text, message.page_number, message.region_id)


def line_counts_to_message(counts: LineCounts) -> parse_pb2.LineCounts:
    return parse_pb2.LineCounts(
        found=counts.found, in_markdown=counts.in_markdown, left_out=counts.left_out, lost=counts.lost
    )


def line_counts_from_message(message: parse_pb2.LineCounts) -> LineCounts:
    return LineCounts(message.found, message.in_markdown, message.left_out, message.lost)


def markdown_to_message(markdown: AssembledMarkdown, milliseconds: float) -> parse_pb2.DocumentDone:
    """The last event of a document."""
    return parse_pb2.DocumentDone(
        markdown=markdown.text,
        outline=[heading_to_message(heading) for heading in markdown.outline],
        line_counts=[line_counts_to_message(counts) for counts in markdown.line_counts],
        milliseconds=milliseconds,
    )


def markdown_from_message(message: parse_pb2.DocumentDone) -> AssembledMarkdown:
    """The Markdown of a document with its outline and counts."""
    return AssembledMarkdown(
        text=message.markdown,
        outline=tuple(heading_from_message(heading) for heading in message.outline),
        line_counts=tuple(line_counts_from_message(counts) for counts in message.line_counts),
    )
