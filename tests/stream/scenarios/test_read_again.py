"""Records that are given again to a run which cannot read them again itself."""

import pytest
from tests.stream.streams import records_file, release

from confide import Transactions
from confide.core.errors import InputError
from confide.core.streams.run import StreamRun
from confide.stream.sources.batch_source import Batch


class Piped:
    """Standard input: each start of a run reads what it is given."""

    name, replayable = "standard input", False

    def __init__(self, rows):
        self.rows = rows

    def batches(self, place, stopped):
        yield Batch(rows=Transactions.from_lists(self.rows))


@pytest.mark.parametrize("every", [1, 50])
def test_a_log_that_is_piped_in_again_from_its_beginning_gets_no_second_noise(tmp_path, every):
    rows = list(Transactions.read(records_file(tmp_path)))
    kept = {"state": tmp_path / "state", "noise_key": tmp_path / "key", "output": tmp_path / "out.jsonl"}
    kept |= {"every": every, "epsilon": 0.2}
    release(Piped(rows[:720]), **kept)
    before, state = (tmp_path / "out.jsonl").read_bytes(), (tmp_path / "state").read_bytes()
    first = -(-720 // every)
    again = rf"blocks {first} to {first + 400 // every - 1} hold the records of blocks 0 to {400 // every - 1} again"
    with pytest.raises(InputError, match=again):
        release(Piped(rows), **kept)
    assert (tmp_path / "out.jsonl").read_bytes() == before
    assert (tmp_path / "state").read_bytes() == state
    release(Piped(rows[720:]), **kept)
    assert len(StreamRun.read(tmp_path / "out.jsonl").releases) > before.count(b"\n") - 1


def test_a_stream_whose_records_are_all_alike_is_not_taken_for_one_that_was_read(tmp_path):
    rows = [["a", "b"], ["b", "c"]] * 500
    kept = {"noise_key": tmp_path / "key", "output": tmp_path / "out.jsonl"}
    release(Piped(rows), **kept)
    release(Piped(rows), **{**kept, "output": tmp_path / "again.jsonl"})  # the same records under the same numbers
    assert (tmp_path / "out.jsonl").read_bytes() == (tmp_path / "again.jsonl").read_bytes()


def test_the_passport_of_a_run_holds_no_figure_of_true_supports(tmp_path):
    """How many itemsets were frequent is a count without noise: the owner's answer has it, the passport does not."""
    outcome = release(records_file(tmp_path), output=tmp_path / "out.jsonl")
    name = "share of frequent itemsets published"
    assert 0 < outcome.document[name] < 1
    assert name not in dict(outcome.release.passport.loss)
    paper = release(records_file(tmp_path), scheme="basic", promise="none", output=tmp_path / "paper.jsonl")
    assert name in dict(paper.release.passport.loss)
