"""The calculator as a page: static files that any web host serves, and the Python that answers in the browser.

Examples
--------
>>> import json
>>> from mathhammer.page import answer
>>> json.loads(answer('{"kind": "dice", "dice": "2D6"}'))["title"]
'2D6'
"""

from __future__ import annotations

from mathhammer.page.requests import answer

__all__ = ["answer"]
