import json
import os
import stat

import pytest

from confide import OutputPrivacy, Randomness
from confide.core.errors import InputError, UsageError
from confide.core.itemsets.container import Itemsets
from confide.stream import Butterfly
from confide.stream.state_file import read_key

REQUIREMENT = OutputPrivacy(epsilon=0.12, delta=0.4, min_support=25, vulnerable=5)
KEY = bytes(range(32))


def window(*supports):
    return Itemsets.from_pairs([((f"i{i}",), t) for i, t in enumerate(supports)], n_transactions=1000)


def made(**options):
    return Butterfly(REQUIREMENT, **{"scheme": "order", "randomness": Randomness.seeded(2), **options})


def used(**options):
    first = made(**options)
    first.release(window(30, 50, 55, 90))
    first.release(window(31, 50, 90))
    return first


@pytest.mark.parametrize("key", [None, KEY])
def test_a_resumed_stream_says_what_the_first_would_have_said(tmp_path, key):
    first, second = used(), made(randomness=Randomness.seeded(99))
    first.save(tmp_path / "state", key=key)
    second.resume(tmp_path / "state", key=key)
    assert second.to_bytes() == first.to_bytes()
    again = second.release(window(30, 31, 50, 55, 90))
    assert again.number == 3
    assert not again.owner.fresh.any()
    assert again.data == first.release(window(30, 31, 50, 55, 90)).data


def test_the_file_is_the_owner_s_alone_and_small(tmp_path):
    used().save(tmp_path / "state")
    found = (tmp_path / "state").stat()
    assert stat.S_IMODE(found.st_mode) == 0o600
    assert found.st_size < 1000


def test_under_a_key_nothing_can_be_read_and_no_two_files_are_alike():
    first, second = used().to_bytes(key=KEY), used().to_bytes(key=KEY)
    assert first != second
    assert b"said" not in first


@pytest.mark.parametrize("key", [None, KEY])
def test_any_damaged_byte_is_noticed(key):
    data = used().to_bytes(key=key)
    for at in range(len(data)):
        for changed in (data[at] ^ 1, data[at] ^ 16):
            with pytest.raises(InputError):
                made().resume_bytes(data[:at] + bytes([changed]) + data[at + 1 :], key=key)
    for cut in (b"", data[:20], data[:-1], data + b" ", data + b"\n"):
        with pytest.raises(InputError):
            made().resume_bytes(cut, key=key)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"scheme": "ratio"}, "scheme"),
        ({"depth": 3}, "depth"),
        ({"noise": "triangular"}, "noise"),
        ({"alpha": "paper"}, "alpha, noise"),
        ({"membership": "support"}, "membership"),
        ({"epoch": 10}, "epoch"),
    ],
)
def test_a_file_of_other_parameters_is_refused(options, named):
    with pytest.raises(InputError, match=rf"made under other parameters \({named}\)"):
        made(**options).resume_bytes(used().to_bytes())


def test_keys_that_are_missing_wrong_or_not_wanted_are_told_apart():
    with pytest.raises(InputError, match="is encrypted; give its key"):
        made().resume_bytes(used().to_bytes(key=KEY))
    with pytest.raises(InputError, match="another key, or is damaged"):
        made().resume_bytes(used().to_bytes(key=KEY), key=bytes(32))
    with pytest.raises(InputError, match="is not encrypted, but a key was given"):
        made().resume_bytes(used().to_bytes(), key=KEY)
    with pytest.raises(UsageError, match="is 32 bytes"):
        used().to_bytes(key=b"secret")


def forged(change):
    """A file whose hash is right but whose content we would never have written."""
    import hashlib

    from confide.core.json_text import canonical_json

    body = json.loads(used().to_bytes())["body"]
    change(body)
    digest = hashlib.sha256(canonical_json(body).encode()).hexdigest()
    return canonical_json({"body": body, "sha256": digest}).encode()


@pytest.mark.parametrize(
    "change",
    [
        lambda body: body["said"].append([26, 26 + 50, 0]),  # noise out of range, and out of order
        lambda body: body["said"][0].__setitem__(1, body["said"][0][1] + 30),
        lambda body: body["said"][0].__setitem__(2, 900),
        lambda body: body["said"].append(body["said"][0]),
        lambda body: body["said"].insert(0, [3, 3, 0]),
        lambda body: body["said"][0].__setitem__(1, 41.0),
        lambda body: body["last"].append(999),
        lambda body: body.__setitem__("releases", 0),
        lambda body: body.__setitem__("version", 2),
        lambda body: body.pop("last"),
        lambda body: body.__setitem__("parameters", []),
    ],
)
def test_a_file_with_its_own_hash_is_still_checked(change):
    with pytest.raises(InputError):
        made().resume_bytes(forged(change))


def test_a_refused_file_leaves_the_memory_as_it_was(tmp_path):
    first = used()
    before = first.to_bytes()
    (tmp_path / "state").write_bytes(b"{}")
    with pytest.raises(InputError, match="state"):
        first.resume(tmp_path / "state")
    assert first.to_bytes() == before
    with pytest.raises(InputError, match="no such file"):
        first.resume(tmp_path / "none")
    assert os.listdir(tmp_path) == ["state"]


def test_a_key_is_read_from_a_file_of_32_bytes_alone(tmp_path):
    file = tmp_path / "key"
    file.write_bytes(KEY)
    assert read_key(file) == KEY
    for wrong in (KEY + b"\n", KEY[:31], b""):
        file.write_bytes(wrong)
        with pytest.raises(InputError, match="a key is a file of 32 bytes"):
            read_key(file)
