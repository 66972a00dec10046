"""Slow twins of the kernels on Parquet pages: written from the format's description, with whole numbers as lists."""

__all__ = ["encode_codes", "tally_codes"]


def encode_codes(draw, codes, width):
    """Codes in runs that `draw` chooses: repeated ones, or groups of eight bit by bit."""
    made, at = bytearray(), 0
    while at < len(codes):
        same = 1
        while at + same < len(codes) and codes[at + same] == codes[at]:
            same += 1
        if same > 3 or draw.random() < 0.3:
            here = draw.randrange(1, same + 1)
            made += _varint(here << 1) + codes[at].to_bytes((width + 7) // 8, "little")
            at += here
        else:
            groups = draw.randrange(1, 4)
            part = codes[at : at + 8 * groups]
            part = part + [0] * (8 * groups - len(part))
            made += _varint(groups << 1 | 1)
            made += sum(code << (width * place) for place, code in enumerate(part)).to_bytes(groups * width, "little")
            at += 8 * groups
    return bytes(made)


def _varint(number):
    made = bytearray()
    while number > 127:
        made.append(number & 127 | 128)
        number >>= 7
    return bytes([*made, number])


def tally_codes(codes, entries):
    """How often each code is there."""
    return [codes.count(code) for code in range(entries)]
