"""A minute of fuzzing: every reader, verifier and service gets broken input, and never answers but in our own words.

`CONFIDE_FUZZ=3600 python -m benchmarks house.fuzzing` takes an hour, with the peak memory of each target.
"""

import os

import pytest
from tests.fuzzing.hunt import TARGETS, hunt

SECONDS = float(os.environ.get("CONFIDE_FUZZ", "45")) / len(TARGETS)


@pytest.mark.parametrize("target", TARGETS)
def test_broken_input_is_taken_or_refused_in_one_line(target):
    hunt(target, seed=1, seconds=60, cases=2)  # kernels are compiled now
    found = hunt(target, seed=7, seconds=SECONDS)
    assert found["findings"] == []
    assert found["refused"], "the fuzzer never made bad input"
    assert found["peak_mb"] < 2048


def test_what_was_found_before_stays_repaired(tmp_path):
    from confide import Schema, Transactions
    from confide.core.errors import InputError
    from confide.core.json_text import read_json
    from confide.core.trees.published import PublishedTree
    from confide.join.configuration.files import JoinConfig

    deep = tmp_path / "deep.toml"
    deep.write_text("a = " + "[" * 3000)
    for read in (JoinConfig.read, Schema.read):
        with pytest.raises(InputError, match="nested too deeply"):
            read(deep)
    half = tmp_path / "half.jsonl"
    half.write_text('["tea", "\\ud800"]\n')
    with pytest.raises(InputError, match="half a character"):
        Transactions.read(half)
    with pytest.raises(InputError, match="half a character"):
        read_json('{"a": "\\udfff"}')
    assert read_json('{"a": "\\ud83c\\udf75"}') == {"a": "\N{TEACUP WITHOUT HANDLE}"}
    with pytest.raises(InputError):
        PublishedTree.from_json('{"nodes": [{"edges": [{"to": 1, "intervals": [[null, 1' + "0" * 400 + "]]}]}]}")
