"""Our kernels against libsodium, byte for byte: multiplication, hashing to the group, what is a point."""

import hashlib
import random

import numpy as np
import pytest

from confide.join.intersection import ristretto
from confide.join.intersection.ristretto import POINT, NotAPoint, Secret, are_points, sodium

ORDER = 2**252 + 27742317777372353535851937790883648493
P = 2**255 - 19


@pytest.fixture
def kernels():
    from confide.join.intersection import _field_kernels, _ristretto_kernels

    if not _field_kernels.available():
        pytest.skip("this processor has no AVX-512 IFMA")
    return _ristretto_kernels


def points(number, seed=0):
    hashed = sodium().crypto_core_ristretto255_from_hash
    return [hashed(hashlib.sha512(f"{seed} {i}".encode()).digest()) for i in range(number)]


def secrets_of_every_shape():
    """Random ones; the least and the largest; digits that are all 0, 7, 8 or 15, where signed digits carry."""
    drawn = [random.Random(seed).randrange(1, ORDER) for seed in range(4)]
    edges = [1, 2, 8, 15, 16, ORDER - 1, ORDER - 8, 1 << 251, int("7" * 63, 16), int("8" * 63, 16) % ORDER]
    return [number.to_bytes(32, "little") for number in (*drawn, *edges)]


def test_the_field_is_that_of_whole_numbers_modulo_p(kernels):
    from confide.join.intersection import _field_kernels as field

    def put(slot, numbers):
        for lane, number in enumerate(numbers):
            for limb in range(5):
                file[40 * slot + 8 * limb + lane] = number >> 51 * limb & (1 << 51) - 1

    def get(slot):
        limbs = file[40 * slot : 40 * slot + 40].reshape(5, 8)
        assert (limbs < 2**51 + 2**15).all()  # what every operation takes and gives
        return [sum(int(limbs[i, lane]) << 51 * i for i in range(5)) % P for lane in range(8)]

    file, drawn = np.zeros(40 * 8, dtype=np.uint64), random.Random(1)
    edges = [0, 1, 2, 19, P - 1, P - 19, P, 2**255 - 1, 2**254, 2**51 - 1]
    for _ in range(100):
        a, b = ([drawn.choice([*edges, drawn.randrange(P)]) for _ in range(8)] for _ in range(2))
        put(0, a)
        put(1, b)
        field.multiply(file, 2, 0, 1)
        field.square(file, 3, 0)
        field.add(file, 4, 0, 1)
        field.subtract(file, 5, 0, 1)
        field.multiply(file, 6, 4, 5)
        field.subtract(file, 7, 2, 6)
        assert get(2) == [x * y % P for x, y in zip(a, b, strict=True)]
        assert get(3) == [x * x % P for x in a]
        assert get(4) == [(x + y) % P for x, y in zip(a, b, strict=True)]
        assert get(5) == [(x - y) % P for x, y in zip(a, b, strict=True)]
        assert get(7) == [(x * y - (x + y) * (x - y)) % P for x, y in zip(a, b, strict=True)]


@pytest.mark.parametrize("secret", secrets_of_every_shape(), ids=lambda secret: secret[::-1].hex()[:12])
def test_a_point_times_a_secret_has_libsodium_s_bytes(kernels, secret):
    given = points(21)
    made, valid = kernels.encrypted(b"".join(given), kernels.signed_digits(secret))
    assert valid.all()
    assert made == b"".join(sodium().crypto_scalarmult_ristretto255(secret, point) for point in given)


def test_hashing_onto_the_group_has_libsodium_s_bytes(kernels):
    # With the secret 1, so that the hash itself shows; edge digests have field elements of 0, p and above.
    edges = [bytes(64), b"\xff" * 64, (P).to_bytes(32, "little") * 2, (1).to_bytes(32, "little") + bytes(32)]
    digests = [hashlib.sha512(str(i).encode()).digest() for i in range(300)] + edges
    one = kernels.signed_digits((1).to_bytes(32, "little"))
    expected = b"".join(map(sodium().crypto_core_ristretto255_from_hash, digests))
    assert kernels.blinded(b"".join(digests), one) == expected


def test_the_vectors_of_the_rfc_are_decoded_and_refused(kernels):  # RFC 9496, A.1 and A.3
    generator = "e2f2ae0a6abc4e71a884a961c500515f58e30b6aa582dd8db6a65945e08d2d76"
    assert kernels.are_points(bytes.fromhex(generator)).tolist() == [True]
    assert kernels.encrypted(bytes.fromhex(generator), kernels.signed_digits((2).to_bytes(32, "little")))[0].hex() == (
        "6a493210f7499cd17fecb510ae0cea23a110e8d5b901f8acadd3095c73a3b919"
    )
    bad = (
        "00ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
        "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "f3ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "01ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "26948d35ca62e643e26a83177332e6b6afeb9d08e4268b650f1f5bbd8d81d371",
        "4eac077a713c57b4f4397629a4145982c661f48044dd3f96427d40b147d9742f",
        "3eb858e78f5a7254d8c9731174a94f76755fd3941c0ac93735c07ba14579630e",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    )
    assert not kernels.are_points(b"".join(map(bytes.fromhex, bad))).any()
    assert not any(are_points(bytes.fromhex(one), workers=1, label="") for one in bad)


def test_random_bytes_are_points_where_libsodium_says_so_and_the_top_bit_is_clear(kernels):
    drawn = [random.Random(seed).randbytes(32) for seed in range(1000)]
    drawn = [bytes([one[0] & 254]) + one[1:] for one in drawn]  # odd ones are none
    expected = [one[-1] < 128 and bool(sodium().crypto_core_ristretto255_is_valid_point(one)) for one in drawn]
    assert kernels.are_points(b"".join(drawn)).tolist() == expected
    assert 50 < sum(expected) < 450


@pytest.mark.parametrize("number", [3, 3000], ids=["libsodium", "kernels"])
def test_whatever_does_the_work_gives_the_same_points_and_refuses_the_same(number):
    secret, messages = Secret(workers=2), [str(i).encode() for i in range(number)]
    made = secret.blinded(messages, prefix=b"p", label="")
    assert made == secret._blinded_by_sodium(messages, b"p")
    assert secret.encrypted(made, label="") == secret._encrypted_by_sodium(made)
    assert are_points(made, workers=2, label="")
    for bad in (bytes(POINT), b"\xff" * POINT, made[: POINT - 1] + bytes([made[POINT - 1] | 128])):
        with pytest.raises(NotAPoint):
            secret.encrypted(made[POINT:] + bad, label="")
    assert not are_points(made[POINT:] + b"\xff" * POINT, workers=2, label="")


def test_a_kernel_that_miscalculates_is_noticed(kernels, monkeypatch):
    secret = Secret(workers=1)
    monkeypatch.setattr(kernels, "signed_digits", lambda number: np.ones(64, dtype=np.int8))
    with pytest.raises(RuntimeError, match="disagree"):
        secret.blinded([b"x"] * ristretto._MANY, prefix=b"", label="")
