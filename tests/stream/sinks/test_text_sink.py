import pytest
from tests.stream.streams import asked

from confide.core.errors import InputError, UsageError
from confide.core.itemsets.container import Itemsets
from confide.core.streams.releases import release_line
from confide.core.streams.run import StreamRun
from confide.stream.pipeline.opening import header_of
from confide.stream.sinks.text_sink import FileSink

HEADER = header_of(asked())


def lines(count, size=3):
    out, before = [], HEADER.sha256
    for number in range(1, count + 1):
        data = Itemsets.from_pairs([((f"item{i:05}",), 50) for i in range(size)], n_transactions=400)
        line, before = release_line(
            data, run=HEADER.run, number=number, offset=400 * number, until=None, previous=before
        )
        out.append((number, line))
    return out


@pytest.mark.parametrize("size", [0, 3, 2000])
def test_a_torn_file_is_cut_back_to_its_last_whole_line(tmp_path, size):
    path, made = tmp_path / "out.jsonl", lines(3, size)
    sink = FileSink(path=path)
    sink.begin(HEADER, resumed=False)
    sink.write(made)
    sink.close()
    whole = path.read_bytes()
    ends = [0, *(i + 1 for i, byte in enumerate(whole) if byte == 10)]
    cuts = {*range(0, len(whole) + 1, max(1, len(whole) // 25)), *ends, *(end - 1 for end in ends[1:])}
    for cut in sorted(cuts):
        path.write_bytes(whole[:cut])
        again = FileSink(path=path)
        held = again.begin(HEADER, resumed=True)
        assert held == max(sum(end <= cut for end in ends) - 2, 0)
        again.write(made[held:])
        again.close()
        assert path.read_bytes() == whole
    assert len(StreamRun.read(path).releases) == 3


def test_what_is_not_its_own_is_left_alone(tmp_path):
    path = tmp_path / "out.jsonl"
    path.write_text("something else\n")
    with pytest.raises(UsageError, match="exists; say replace=True"):
        FileSink(path=path).begin(HEADER, resumed=False)
    with pytest.raises(InputError, match="is not the output of the run"):
        FileSink(path=path).begin(HEADER, resumed=True)
    assert path.read_text() == "something else\n"
    with pytest.raises(UsageError, match=r"name it \.jsonl"):
        FileSink(path=tmp_path / "out.jsonl.gz")
    with pytest.raises(UsageError, match=r"the folder .* does not exist"):
        FileSink(path=tmp_path / "no" / "out.jsonl").check()


def test_a_link_is_replaced_and_what_it_leads_to_is_left_alone(tmp_path):
    path, other = tmp_path / "out.jsonl", tmp_path / "other.jsonl"
    other.write_text("another's\n")
    path.symlink_to(other)
    with pytest.raises(UsageError, match="exists; say replace=True"):
        FileSink(path=path).begin(HEADER, resumed=False)
    sink = FileSink(path=path, replace=True)
    sink.begin(HEADER, resumed=False)
    sink.close()
    assert other.read_text() == "another's\n"
    assert path.read_bytes() == HEADER.line
    assert not path.is_symlink()
