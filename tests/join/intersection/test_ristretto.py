"""libsodium as we call it: the RFC's vectors, the same points on several threads, and one encoding for each point."""

import pytest

from confide.join.intersection.ristretto import POINT, NotAPoint, Secret, are_points, sodium

GENERATOR = bytes.fromhex("e2f2ae0a6abc4e71a884a961c500515f58e30b6aa582dd8db6a65945e08d2d76")
NO_POINTS = (  # RFC 9496, A.3: one or two of each kind
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


def test_twice_the_generator_is_that_of_the_rfc():  # RFC 9496, A.1
    secret = Secret(workers=1)
    secret._number = (2).to_bytes(POINT, "little")
    doubled = "6a493210f7499cd17fecb510ae0cea23a110e8d5b901f8acadd3095c73a3b919"
    assert secret.encrypt(GENERATOR, label="").hex() == doubled
    assert are_points(GENERATOR, workers=1, label="")


@pytest.mark.parametrize("text", NO_POINTS)
def test_what_the_rfc_refuses_is_no_point(text):
    assert not are_points(bytes.fromhex(text), workers=1, label="")
    with pytest.raises(NotAPoint):
        Secret(workers=1).encrypt(GENERATOR + bytes.fromhex(text), label="")


def test_a_second_encoding_that_libsodium_takes_is_refused():
    other = GENERATOR[:-1] + bytes([GENERATOR[-1] | 128])
    assert sodium().crypto_core_ristretto255_is_valid_point(other), "else the check of our own could go"
    assert not are_points(other, workers=1, label="")
    with pytest.raises(NotAPoint):
        Secret(workers=1).encrypt(other, label="")


@pytest.mark.parametrize("number", [3, 3000], ids=["one piece", "several pieces"])
def test_points_come_in_their_order_however_many_threads_work(number):
    secret, messages = Secret(workers=2), [str(i).encode() for i in range(number)]
    points = secret.blind(messages, prefix=b"p", label="")
    last = secret.blind(messages[-1:], prefix=b"p", label="")
    assert points[-POINT:] == last
    assert points != secret.blind(messages, prefix=b"q", label="")
    assert secret.encrypt(points, label="")[-POINT:] == secret.encrypt(last, label="")
    assert are_points(points, workers=2, label="")
    for bad in (bytes(POINT), b"\xff" * POINT):
        with pytest.raises(NotAPoint):
            secret.encrypt(points[POINT:] + bad, label="")
    assert not are_points(points[POINT:] + b"\xff" * POINT, workers=2, label="")
