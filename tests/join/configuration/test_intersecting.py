"""`confide join intersect` as a function: two sites over mutual TLS on this machine."""

import pytest
from tests.join.configuration.test_tasks import on_free_ports
from tests.join.sites import confide

from confide.core.errors import CannotMeetError, UnreachableError, UsageError
from confide.core.tables.frames import read_table
from confide.join import intersect


def test_two_sites_find_what_they_share_over_the_network(trial):
    on_free_ports(trial)
    asks, serves = trial / "T1.toml", [trial / "T2.toml"]
    values = [set(read_table(trial / f"{name}.csv")["j1"].to_pylist()) for name in ("T1", "T2")]
    both = values[0] & values[1]
    found = intersect(asks, "T2", with_sites=serves)
    assert {str(value) for value in found.values["j1"].to_pylist()} == both
    size = intersect(asks, "T2", size_only=True, with_sites=serves)
    assert (size.own, size.other, size.shared) == (len(values[0]), len(values[1]), len(both))
    assert "shared-with-T1.csv" in {path.name for path in (trial / "T2-state").iterdir()}
    with pytest.raises(UsageError, match="is not a neighbour of T1"):
        intersect(asks, "registry", with_sites=serves)
    with pytest.raises(UnreachableError, match="T2 does not answer"):
        intersect(asks, "T2")
    serves[0].write_text(serves[0].read_text().replace('"values"', '"size"'))
    with pytest.raises(CannotMeetError, match="policy of T2 allows no such intersection"):
        intersect(asks, "T2", with_sites=serves)


def test_the_command_says_how_it_ended(trial):
    on_free_ports(trial)
    ask = ("join", "intersect", "--config", "T1.toml", "--with", "T2")
    assert confide(*ask, cwd=trial).returncode == 2
    gone = confide(*ask, "--size-only", cwd=trial)
    assert (gone.returncode, gone.stdout) == (3, "")
    (trial / "shared.csv").touch()
    taken = confide(*ask, "-o", "shared.csv", "--with-site", "T2.toml", cwd=trial)
    assert taken.returncode == 2
    assert "exists" in taken.stderr
    done = confide(*ask, "-o", "shared.csv", "--replace", "--with-site", "T2.toml", cwd=trial)
    assert done.returncode == 0, done.stderr
    assert (trial / "shared.csv").stat().st_mode & 0o777 == 0o600
    (trial / "T1.toml").write_text((trial / "T1.toml").read_text().replace('intersections = "values"\n', ""))
    refused = confide(*ask, "--size-only", "--with-site", "T2.toml", cwd=trial)
    assert refused.returncode == 1
    assert refused.stderr.count("\n") == 1
