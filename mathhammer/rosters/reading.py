"""From a file, a link or standard input to an army list: its content decides what it is, and all of it is checked."""

from __future__ import annotations

import math
import os
import re
import stat
import sys
import zlib
from codecs import BOM_UTF8
from io import BytesIO
from typing import IO, TYPE_CHECKING, Any

from mathhammer import validation
from mathhammer.errors import RosterError
from mathhammer.rosters.text import MAX_LINE, MAX_LINES, clean, read_unit_line
from mathhammer.rosters.tree import (
    MAX_BYTES,
    MAX_COUNT,
    MAX_DEPTH,
    MAX_NODES,
    Force,
    Profile,
    RosterFile,
    RosterSelection,
    one_line,
    require_room,
    shorten,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from xml.etree.ElementTree import Element

    from mathhammer.rosters.tree import Rules

#: A node as New Recruit's JSON has it: lists of nodes under the names of the elements around them in XML.
PlainTree = dict[str, Any]

_MAX_VALUES = 10 * MAX_NODES  # a node has about ten attributes
_MAX_TOKEN, _MAX_COST = 2**20, 1e6
_POINTS = "51b2-306e-1021-d207"
_ZIP = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
_ZIP_ENTRY = b"PK\x01\x02"  # the signature of one entry in the archive's directory
_STORED, _DEFLATED = 0, 8
_ENCRYPTED = 0x1
_GZIP = b"\x1f\x8b"
_MAX_TEXT = 2**20
_TIME = re.compile(rb"\[\d{1,2}:\d{2}")
_UTF_16_MARKS = (b"\xff\xfe", b"\xfe\xff")
# "H4sI" is the base64 of the first bytes of every gzip file. Percent signs are escapes of + / and = in a link.
_LINK = re.compile(rb"(?:https?://[^\s#?]{1,200}[^\s]{0,100}?[#?/=&])?(H4sI[A-Za-z0-9+/_%=-]{20,})")


def read_content(path: str | os.PathLike[str] | bytes | IO[bytes] | IO[str]) -> tuple[bytes, str]:
    """Return what a file, a link, standard input (``-``) or an open file holds, and what messages call it."""
    piped = isinstance(path, str) and path == "-"
    source: Any = sys.stdin.buffer if piped else path
    if isinstance(source, bytes) or hasattr(source, "read"):
        name = "standard input" if piped else "the list"
        held = source if isinstance(source, bytes) else source.read(MAX_BYTES + 1)
        data = held.encode("utf-8", "replace") if isinstance(held, str) else held
        validation.instance(data, bytes, "an army list as text or bytes in an open file")
        require_room(len(data), MAX_BYTES, "MiB", name)
        return data, name
    wanted = "the path of an army-list file, its link, or its content as bytes or an open file"
    place = os.fspath(validation.instance(source, (str, os.PathLike), wanted))
    if "://" in place and (link := linked_data(place.encode())) is not None:
        return link, "the link"
    # pathlib costs 10 ms that the command line does not have.
    return read_bytes(place), shorten(os.path.basename(place))  # noqa: PTH119


def read_bytes(path: str | os.PathLike[str], limit: int = MAX_BYTES) -> bytes:
    """Read a whole file, at most so many bytes of it."""
    name = shorten(os.fspath(path))
    data = b""
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116 - as above
        if stat.S_ISREG(mode):
            with open(path, "rb") as file:  # noqa: PTH123 - as above
                data = file.read(limit + 1)
    except (OSError, ValueError) as error:  # a ValueError is a null character in the path
        why = f"cannot be opened ({getattr(error, 'strerror', None) or error}); check the path and its permissions"
        if isinstance(error, FileNotFoundError):
            why = "does not exist; check the path"
        raise RosterError(f"{name} {why}") from error
    if stat.S_ISDIR(mode):
        raise RosterError(f"{name} is a folder; name the file inside it")
    if not stat.S_ISREG(mode):
        raise RosterError(f"{name} is not a regular file; save the list to a file first")
    require_room(len(data), limit, "MiB", name)
    return data


def start_of(data: bytes) -> bytes:
    """Return the beginning of a text, without blanks and the mark of UTF-8."""
    return data[:1024].removeprefix(BOM_UTF8).lstrip()


def unzip(data: bytes, name: str, kinds: tuple[str, ...], files: int, most: int) -> list[tuple[str, bytes]]:
    """Return the files of some kinds in an archive with their names, unpacked in memory within limits."""
    from zipfile import BadZipFile, ZipFile

    broken = (BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError, ValueError)
    # The directory of an archive with many entries would alone take seconds to read.
    require_room(data.count(_ZIP_ENTRY), files, "files in an archive", name)
    found: list[tuple[str, bytes]] = []
    size = 0
    try:
        with ZipFile(BytesIO(data)) as archive:
            for member in archive.infolist():
                own = member.filename.rpartition("/")[2]
                # macOS adds a shadow "__MACOSX/._list.ros" beside each member.
                if not own.casefold().endswith(kinds) or own.startswith("."):
                    continue
                if member.flag_bits & _ENCRYPTED or member.compress_type not in {_STORED, _DEFLATED}:
                    raise RosterError(  # noqa: TRY301
                        f"expected a plain archive, but {name} is encrypted or packed by ZIP method "
                        f"{member.compress_type}; zip its files again with the usual method"
                    )
                with archive.open(member) as stream:
                    content = stream.read(MAX_BYTES + 1)
                size += len(content)
                require_room(len(content), MAX_BYTES, "MiB", f"{shorten(own)} in {name}")
                require_room(size, most, "MiB", name)
                found.append((own, content))
    except RosterError:
        raise
    except broken as error:
        raise _damaged("a whole ZIP archive", name, error) from error
    return found


def _damaged(kind: str, name: str, why: object) -> RosterError:
    said = f"breaks off or is damaged ({shorten(why, 120)[1:-1]})"
    return RosterError(f"expected {kind}, but {name} {said}; download or export it again")


def linked_data(data: bytes) -> bytes | None:
    """Return the compressed data in a link or in its tail alone; ``None`` if there is no link."""
    import base64
    import binascii
    from urllib.parse import unquote_to_bytes

    match = _LINK.fullmatch(data.strip()) if b"H4sI" in data[:400] else None
    if match is None:
        return None
    text = unquote_to_bytes(match[1]).translate(bytes.maketrans(b"-_", b"+/")).rstrip(b"=")
    try:
        return base64.b64decode(text + b"=" * (-len(text) % 4), validate=True)
    except binascii.Error:
        return None


def as_text(data: bytes) -> str | None:
    """Return data as text if some line names a unit with its points; ``None`` for any other encoding of a list."""
    start = start_of(data)
    # The time at which a message was written stands in brackets too.
    other = start.startswith((b"<", b"{", b"[", *_ZIP, _GZIP)) and not _TIME.match(start)
    if len(data) > _MAX_TEXT or other:
        return None
    try:
        text = data.decode("utf-16" if data.startswith(_UTF_16_MARKS) else "utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("cp1252", "replace")
    lines = (line for line in text.splitlines()[:MAX_LINES] if len(line) <= MAX_LINE)
    return text if "\0" not in text and any(map(read_unit_line, map(clean, lines))) else None


def _unpacked(data: bytes, name: str) -> bytes:
    """Return what an archive or compressed data hold; data of another kind as they are."""
    inside = data
    if data.startswith(_ZIP):
        members = unzip(data, name, (".ros",), 100, MAX_BYTES)
        if len(members) != 1:
            raise RosterError(
                f"expected an archive with exactly one .ros member, but {name} holds {len(members)}; unpack it and "
                "name the .ros file"
            )
        inside = members[0][1]
    elif data.startswith(_GZIP):
        unpacker = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)
        try:
            inside = unpacker.decompress(data, MAX_BYTES + 1)
        except zlib.error as error:
            raise _damaged("whole gzip data", name, error) from error
        require_room(len(inside), MAX_BYTES, "MiB", f"the data inside {name}")
        if not unpacker.eof:
            raise _damaged("whole gzip data", name, "its end is missing")
    if inside is not data and inside.startswith((_ZIP[0], _GZIP)):
        raise RosterError(
            f"expected a list inside {name}, but it is an archive or packed again; unpack it first"
        )
    return inside


def parse_roster(data: bytes, name: str) -> RosterFile:
    """Read an army list that is in memory; the name is what messages call it."""
    data = _unpacked(linked_data(data) or data, name)
    start = start_of(data)
    if start.startswith(_UTF_16_MARKS):
        start = data[:1024].decode("utf-16", "ignore").lstrip().encode()
    if start.startswith(b"<"):
        return build_roster(parse_xml(data, name, "roster"), name)
    if start.startswith((b"{", b"[")) and not _TIME.match(start):
        document = load_json(data, name)
        held = "a list" if isinstance(document, list) else shorten(document)
        if isinstance(document, dict):  # a list under its key, or bare as in the links of ListForge
            for inner in (document.get("roster"), document):
                if isinstance(inner, dict) and (
                    inner is not document or isinstance(inner.get("forces"), list)
                ):
                    return build_roster(inner, name)
            keys = ", ".join(shorten(key, 20) for key in list(document)[:5])
            held = f"an object with the keys {keys}" if keys else "an empty object"
        raise RosterError(
            f"expected a New Recruit army list (one object under the key 'roster'), but {name} holds {held}; export "
            "the list from New Recruit as JSON, or as .ros or .rosz"
        )
    said = "is plain text without a unit and its points, such as 'Name (90 points)'; copy the whole export"
    shown = start.decode("utf-8", "replace")
    if not start:
        said = "is empty; export the list again"
    elif as_text(data) is not None:
        raise RosterError(
            f"{name} holds names without characteristics; run 'mathhammer data get bsdata' once (10th edition: "
            "bsdata-10e), name a folder of BSData catalogues (--datasheets, in Python datasheets=...), or export "
            "the list as .ros, .rosz or JSON"
        )
    elif "\0" in shown or "\ufffd" in shown[:-1]:  # the last character may be cut
        said = "is a binary file of another kind; name the exported list"
    raise RosterError(f"expected an army list (.ros, .rosz, New Recruit .json or .txt), but {name} {said}")


def load_json(data: bytes, name: str) -> object:
    """Read JSON of any shape within the limits of an army list; the caller judges what it is."""
    import json

    # Memory is spent while parsing, so the size of the tree is estimated before: each node opens a bracket.
    require_room(data.count(b"{") + data.count(b"["), MAX_NODES, "nodes", name)
    require_room(data.count(b","), _MAX_VALUES, "values", name)
    try:
        return json.loads(data.removeprefix(BOM_UTF8))
    except RecursionError:
        raise RosterError(
            f"expected a New Recruit army list, but {name} is JSON nested without end; export the list again"
        ) from None
    except ValueError as error:  # JSONDecodeError and UnicodeDecodeError are both ValueErrors
        raise _damaged("well-formed JSON", name, error) from error


def parse_xml(data: bytes, name: str, *roots: str) -> PlainTree:
    """Read XML whose root is one of some elements: the tree that New Recruit's JSON of it would be."""
    from xml.etree.ElementTree import ParseError, TreeBuilder, XMLParser

    class Builder(TreeBuilder):
        def doctype(self, *_declaration: object) -> None:
            # A document type can define entities that expand without end or name files of this machine.
            raise RosterError(
                f"expected an army list without a document type declaration (DTD), but {name} has one; "
                "no exporter writes it: do not trust this file, export the list again"
            )

    require_room(data.count(b"<") - data.count(b"</"), MAX_NODES, "nodes", name)
    require_room(max(map(len, data.split(b"<"))), _MAX_TOKEN, "MiB in one tag or comment", name)
    parser = XMLParser(target=Builder())  # noqa: S314 - it refuses what could harm
    try:
        parser.feed(data.removeprefix(BOM_UTF8).lstrip())
        root = parser.close()
    except ParseError as error:
        raise _damaged("well-formed XML", name, error) from error
    except RosterError:
        raise
    except (LookupError, ValueError) as error:  # an encoding this Python does not know
        raise RosterError(f"expected XML in a known encoding, but {name} is not: {error}") from error
    if _tag(root) not in roots:
        raise RosterError(
            f"expected XML of <{'> or <'.join(roots)}>, but the root of {name} is <{_tag(root)[:60]}>; "
            "open a data file in its list builder, build a list there and export it as .ros or .rosz"
        )
    return _plain(root, name, 1)


def _tag(element: Element) -> str:
    return element.tag.rpartition("}")[2]


def _plain(element: Element, name: str, depth: int) -> PlainTree:
    """Return an element with the lists in it, whose tags end in "s", as those of no others do."""
    require_room(depth, MAX_DEPTH, "levels of nesting", name)
    node: PlainTree = dict(element.attrib)
    lists: dict[str, list[PlainTree]] = {}
    for child in element:
        tag = _tag(child)
        if tag.endswith("s"):
            # A "selectionEntry" of "sharedSelectionEntries".
            own = (each for each in child if _tag(each)[:-1].casefold() in tag.casefold())
            lists.setdefault(tag, []).extend(_plain(each, name, depth + 2) for each in own)
        elif tag == "description":
            node[tag] = child.text
    if element.text is not None and _tag(element) == "characteristic":
        node["$text"] = element.text
    return node | lists


def build_roster(plain: PlainTree, name: str) -> RosterFile:
    """Check a plain tree and freeze it."""
    keys = ("name", "gameSystemId", "gameSystemName", "gameSystemRevision", "generatedBy")
    said = (text_field(plain, key) for key in keys)
    return RosterFile._make([*said, _points(plain, name), tuple(_forces(plain, name, 1))])


def _forces(above: PlainTree, name: str, depth: int) -> Iterator[Force]:
    """Yield the forces in a list or in a force, each before those inside it."""
    for plain in _list(above, "forces", name):
        selections = _selections(plain, name, depth + 1)
        yield Force(text_field(plain, "catalogueName"), rules_of(_list(plain, "rules", name)), selections)
        yield from _forces(plain, name, depth + 1)


def _selections(above: PlainTree, name: str, depth: int) -> tuple[RosterSelection, ...]:
    require_room(depth, MAX_DEPTH, "levels of nesting", name)
    of = f"a whole number from 0 to {MAX_COUNT:,} as the number of "
    return tuple(
        RosterSelection(
            title := text_field(plain, "name"),
            text_field(plain, "type"),
            int(_number(plain.get("number", 1), of + shorten(title), name, most=MAX_COUNT, is_count=True)),
            text_field(plain, "group"),
            _points(plain, name) or 0,
            tuple(text_field(category, "name") for category in _list(plain, "categories", name)),
            tuple(
                build_profile(profile, _list(profile, "characteristics", name))
                for profile in _list(plain, "profiles", name)
            ),
            rules_of(_list(plain, "rules", name)),
            _selections(plain, name, depth + 1),
        )
        for plain in _list(above, "selections", name)
    )


def rules_of(plain: list[PlainTree]) -> Rules:
    """Return those rules that are in force."""
    visible = [rule for rule in plain if not is_set(rule, "hidden")]
    return tuple((text_field(rule, "name"), text_lines(rule, "description")) for rule in visible)


def build_profile(plain: PlainTree, characteristics: list[PlainTree]) -> Profile:
    """Return a profile with its characteristics."""
    return Profile(
        text_field(plain, "name"),
        text_field(plain, "typeName"),
        text_field(plain, "typeId"),
        tuple((text_field(item, "name"), text_lines(item, "$text")) for item in characteristics),
        is_set(plain, "hidden"),
    )


def _points(plain: PlainTree, name: str) -> float | None:
    """Return the costs in points; those in other currencies are read too, to tell that the file is whole."""
    points = None
    for cost in _list(plain, "costs", name):
        value = _number(cost.get("value", 0), "a number as the value of a cost", name)
        kind = text_field(cost, "name").casefold()
        if text_field(cost, "typeId") == _POINTS or kind in {"pts", "points"}:
            points = (points or 0) + whole_points(value)
    return points


def whole_points(points: float) -> float:
    """Return a cost as a whole number where it is one: BattleScribe writes 115.0, and sums carry binary noise."""
    nearest = round(points)
    return nearest if abs(points - nearest) < 1e-6 else points


def _number(raw: Any, expected: str, name: str, *, most: float = _MAX_COST, is_count: bool = False) -> float:
    try:
        value = math.nan if isinstance(raw, bool) else float(raw)
    except (TypeError, ValueError, OverflowError):
        value = math.nan
    if abs(value) <= most and not (is_count and (value < 0 or value % 1)):
        return value
    raise RosterError(f"expected {expected}, but {name} has {shorten(raw)}; export the list again")


def is_set(plain: PlainTree, key: str) -> bool:
    """Whether an attribute is true, which XML writes as a word."""
    return plain.get(key) in (True, "true")


def text_field(plain: PlainTree, key: str) -> str:
    """Attribute as one clean line; numbers as text, nothing as nothing."""
    raw = plain.get(key)
    if isinstance(raw, (dict, list)):
        raise RosterError(
            f"expected a text under {key!r}, but the file holds {shorten(raw)}: no list builder wrote it so; "
            "export or download it again, a list best as .ros or .rosz"
        )
    return one_line(raw)


def text_lines(plain: PlainTree, key: str) -> str:
    """Text of several clean lines, for texts whose lines say something: items of a list."""
    raw = plain.get(key)
    if not isinstance(raw, str) or "\n" not in raw:
        return text_field(plain, key)
    return "\n".join(line for line in map(one_line, raw.splitlines()) if line)


def _list(plain: PlainTree, key: str, name: str) -> list[PlainTree]:
    items = plain.get(key)
    if items is None:
        return []
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise RosterError(
            f"expected a list of objects under {key!r}, but {name} holds {shorten(items)}: it was not "
            "written by New Recruit; export the list from there, or as .ros or .rosz"
        )
    return items
