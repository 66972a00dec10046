"""Good bytes, broken: changed, cut, doubled, or spliced with what readers trip over."""

import copy
import json

__all__ = ["broken_bytes", "broken_json", "strange"]

TRIPS = [
    *(b"\0", b"\n", b"\r\n", b'"', b",", b";", b" ", b"\xff\xfe", b"\xef\xbb\xbf", b"9" * 400, b"-1", b"1e999", b"NaN"),
    *(b"[[[[", b"{}", b"null", b"id,item\n", b"\xe2\x80\xa8", b"'", b"=", b"[columns.", b"99999999999999999999"),
    *(b"<c r='XFD1048576'/>", b"&amp;", b"<!DOCTYPE", b"[" * 3000, b"\\ud800", b"-0", b"\x1b[2J", b"9" * 5000),
]
STRANGE = [
    *(None, True, -1, 0, 1, 2**31, 2**63, 10**400, -(10**400), 1e308, 5e-324, -0.0, "", "x" * 3000, "\x1b[2J"),
    *("../..", "/dev/zero", "\ud800", "nan", [], [[]], {}, {"T1": "x:1"}, [0] * 1000, {"a": {"a": {"a": []}}}),
]


def strange(draw):
    """Something that does not belong where it stands; a copy, which may be broken further."""
    return copy.deepcopy(draw.choice(STRANGE))


def broken_bytes(draw, content):
    """A few changes to bytes."""
    data = bytearray(content)
    for _ in range(draw.choice((1, 1, 2, 3, 8))):
        place = draw.randrange(len(data) + 1)
        match draw.randrange(8):
            case 0 if data:
                data[place % len(data)] = draw.randrange(256)
            case 1:
                data[place:place] = draw.choice(TRIPS)
            case 2:
                del data[place : place + draw.randrange(1, 9)]
            case 3:
                del data[place:]
            case 4:
                data[place:place] = data[: draw.randrange(1, 40)]
            case 5 if data:
                data[place % len(data)] ^= 1 << draw.randrange(8)
            case 6:
                data[place : place + 8] = draw.choice((0, 1, 255, 2**31 - 1, 2**40, 2**63)).to_bytes(8, "little")
            case _:
                data[place:place] = draw.randbytes(draw.randrange(1, 9))
    return bytes(data)


def broken_json(draw, value):
    """A copy in which one place or a few hold something else, are gone, or are there twice."""
    made = json.loads(json.dumps(value))
    for _ in range(draw.choice((1, 1, 1, 2, 4))):
        places = list(_places(made))
        if not places:
            return strange(draw)
        holder, key = draw.choice(places)
        match draw.randrange(6):
            case 0:
                del holder[key]
            case 1:
                other, where = draw.choice(places)
                holder[key] = json.loads(json.dumps(other[where]))
            case 2 if isinstance(holder, list):
                holder.insert(key, holder[key])
            case 3 if isinstance(holder, dict):
                holder[draw.choice(("x", "items", "gamma", ""))] = strange(draw)
            case 4 if isinstance(holder[key], int | float) and not isinstance(holder[key], bool):
                holder[key] = draw.choice((-1, 0, 1, 2, holder[key] * 2, -holder[key], holder[key] + 1, 1e-300, 10**30))
            case _:
                holder[key] = strange(draw)
    return made


def _places(value):
    """(holder, key) of every part of a JSON value."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in list(parts):
        yield value, key
        yield from _places(part)
