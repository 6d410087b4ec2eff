"""Messages into types and back: the options and the events of the parse API."""

from arcscribe.convert.markdown import (
    markdown_from_message,
    markdown_options_from_message,
    markdown_options_to_message,
    markdown_to_message,
)
from arcscribe.convert.options import options_from_message, options_to_message
from arcscribe.convert.pages import block_from_message, block_to_message, page_from_message, page_to_message
from arcscribe.errors import InferenceFailed, InvalidOption
from arcscribe.events import (
    DocumentDone,
    DocumentOpened,
    PageDone,
    ParseEvent,
    ParseOptions,
    Picture,
    Progress,
    RegionDone,
    RegionPartial,
)
from arcscribe.v1 import parse_pb2

_NOT_IN_NAMES = frozenset("/\\\0")


def parse_options_to_message(options: ParseOptions) -> parse_pb2.ParseOptions:
    """What a client sends with a document.

    Raises:
        InvalidOption: a number below zero, or a text that is not Unicode.
    """
    try:
        return _parse_options(options)
    except ValueError as error:
        raise InvalidOption(f"an option cannot be sent: {error}", field="options") from None


def _parse_options(options: ParseOptions) -> parse_pb2.ParseOptions:
    message = markdown_options_to_message(options.markdown)
    message.pages = options.pages
    message.password = options.password
    message.dpi = options.dpi
    message.skip_orientation = options.skip_orientation
    message.overlays = options.overlays
    message.layout_only = options.layout_only
    message.recognize.CopyFrom(options_to_message(options.recognize))
    return message


def parse_options_from_message(message: parse_pb2.ParseOptions) -> ParseOptions:
    """How a document is to be parsed; what is not of the VLM stage is checked where it is used.

    Raises:
        InvalidOption: a format is not known, or an option of `recognize` is out of its bounds.
    """
    return ParseOptions(
        pages=message.pages,
        password=message.password,
        dpi=message.dpi,
        skip_orientation=message.skip_orientation,
        overlays=message.overlays,
        layout_only=message.layout_only,
        markdown=markdown_options_from_message(message),
        recognize=options_from_message(message.recognize, "recognize"),
    )


def picture_to_message(picture: Picture) -> parse_pb2.Picture:
    return parse_pb2.Picture(name=picture.name, data=picture.data)


def picture_from_message(message: parse_pb2.Picture) -> Picture:
    """A picture.

    Raises:
        InvalidOption: its name is a path, which a client could be tricked into writing to.
    """
    if message.name in {"", ".", ".."} or not _NOT_IN_NAMES.isdisjoint(message.name):
        raise InvalidOption("a picture's name is no file name", field="pictures.name")
    return Picture(message.name, message.data)


def event_to_message(event: ParseEvent) -> parse_pb2.ParseEvent:
    """The message of any event."""
    match event:
        case DocumentOpened():
            return parse_pb2.ParseEvent(opened=_opened_to_message(event))
        case RegionPartial():
            return parse_pb2.ParseEvent(partial=_partial_to_message(event))
        case RegionDone():
            region = parse_pb2.RegionDone(page_number=event.page_number, block=block_to_message(event.block))
            return parse_pb2.ParseEvent(region=region)
        case PageDone():
            return parse_pb2.ParseEvent(page=_page_done_to_message(event))
        case DocumentDone():
            return parse_pb2.ParseEvent(done=markdown_to_message(event.markdown, event.milliseconds))
        case Progress():
            return parse_pb2.ParseEvent(progress=_progress_to_message(event))


def _opened_to_message(event: DocumentOpened) -> parse_pb2.DocumentOpened:
    return parse_pb2.DocumentOpened(
        media_type=event.media_type,
        page_count=event.page_count,
        selected_pages=event.selected_pages,
        request_id=event.request_id,
    )


def _partial_to_message(event: RegionPartial) -> parse_pb2.RegionPartial:
    return parse_pb2.RegionPartial(
        page_number=event.page_number, region_id=event.region_id, order=event.order, text=event.text
    )


def _page_done_to_message(event: PageDone) -> parse_pb2.PageDone:
    return parse_pb2.PageDone(
        page=page_to_message(event.page),
        pictures=[picture_to_message(picture) for picture in event.pictures],
        overlay=event.overlay,
    )


def _progress_to_message(event: Progress) -> parse_pb2.Progress:
    return parse_pb2.Progress(
        pages_done=event.pages_done, pages_total=event.pages_total, regions_done=event.regions_done
    )


def event_from_message(message: parse_pb2.ParseEvent) -> ParseEvent:
    """Any event.

    Raises:
        InferenceFailed: the event is of a kind that this version does not know.
        InvalidOption: a value in it is not as the contract says.
    """
    match message.WhichOneof("event"):
        case "opened":
            opened = message.opened
            return DocumentOpened(
                opened.media_type, opened.page_count, opened.selected_pages, opened.request_id
            )
        case "partial":
            partial = message.partial
            return RegionPartial(partial.page_number, partial.region_id, partial.order, partial.text)
        case "region":
            return RegionDone(message.region.page_number, block_from_message(message.region.block))
        case "page":
            pictures = tuple(picture_from_message(picture) for picture in message.page.pictures)
            return PageDone(page_from_message(message.page.page), pictures, message.page.overlay)
        case "done":
            return DocumentDone(markdown_from_message(message.done), message.done.milliseconds)
        case "progress":
            progress = message.progress
            return Progress(progress.pages_done, progress.pages_total, progress.regions_done)
        case unknown:
            raise InferenceFailed(f"the service sent an event of an unknown kind: {unknown}")
