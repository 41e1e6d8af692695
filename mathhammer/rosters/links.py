"""Links that hold a whole army list: base64 of gzip-compressed JSON, as ListForge shares them."""

from __future__ import annotations

import re

# "H4sI" is the base64 of the first bytes of every gzip file. Percent signs are escapes of + / and = in a link.
_LINK = re.compile(rb"(?:https?://[^\s#?]{1,200}[^\s]{0,100}?[#?/=&])?(H4sI[A-Za-z0-9+/_%=-]{20,})")


def linked_data(data: bytes) -> bytes | None:
    """Return the compressed data in a link or in its tail alone; ``None`` if there is no link."""
    import base64
    import binascii

    if b"H4sI" not in data[:400]:
        return None
    match = _LINK.fullmatch(data.strip())
    if match is None:
        return None
    text = match[1].replace(b"%2B", b"+").replace(b"%2F", b"/").replace(b"%3D", b"=")
    text = text.translate(bytes.maketrans(b"-_", b"+/")).rstrip(b"=")
    try:
        return base64.b64decode(text + b"=" * (-len(text) % 4), validate=True)
    except binascii.Error:
        return None
