"""What a site's owner looks at, and what two sites share, over mutual TLS on this machine."""

import pyarrow as pa
import pytest
from tests.join.sites import confide, on_free_ports, without_types

from confide.core.errors import CannotMeetError, InputError, UnreachableError, UsageError
from confide.core.tables.frames import read_table, write_table
from confide.join import intersect
from confide.join.configuration.config_files import SiteConfig
from confide.join.configuration.parties import site_of
from confide.join.jobs.owners import check_site, own_ledger


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


def test_a_site_says_what_it_would_serve_and_that_nothing_happened_yet(trial):
    config = SiteConfig.read(trial / "T1.toml")
    columns = len(read_table(trial / "T1.csv").column_names) - 1
    said = check_site(config)
    assert said[0] == f"T1: 60 records, {columns} columns to split on"
    assert said[1] == "joins T2 on j1 (int64)"
    assert said[2].startswith("split at a threshold, as numbers: j1, x1, ")
    assert said[3].startswith("a branch for each value (how many): ")
    with pytest.raises(UsageError, match="this site has not taken part in a run yet"):
        list(own_ledger(config))


def test_a_column_that_says_who_somebody_is_is_warned_of(trial):
    lines = (trial / "T1.csv").read_text().splitlines()
    named = [f"{line},P{i:03d}" if i else f"{line},patient" for i, line in enumerate(lines)]
    (trial / "T1.csv").write_text("\n".join(named) + "\n")
    path = trial / "T1.toml"
    warned = [text for text in check_site(SiteConfig.read(path)) if text.startswith("warning: in patient nearly every")]
    assert len(warned) == 1
    assert 'forbid = ["patient"] in [policy]' in warned[0]
    path.write_text(path.read_text().replace("[policy]\n", '[policy]\nforbid = ["patient"]\n'))
    assert not any("nearly every record" in text for text in check_site(SiteConfig.read(path)))


def test_missing_numbers_are_counted_and_infinite_ones_named_before_a_run(trial, caplog):
    config = without_types(trial, "T2", "")
    site_of(config, state=False)
    assert caplog.text == ""
    assert "numbers are missing in (records): x1 (1); they go where they gain more" in check_site(config)
    endless = read_table(trial / "T2.csv")
    place = endless.column_names.index("x1")
    numbers = [float("inf"), *map(float, range(endless.num_rows - 1))]
    write_table(endless.set_column(place, "x1", pa.array(numbers)), trial / "T2.parquet")
    file = trial / "T2.toml"
    before = file.read_text()
    file.write_text(before.replace("T2.csv", "T2.parquet"))
    site_of(SiteConfig.read(file), state=False)
    assert "T2: numbers are infinite in x1 (1)" in caplog.text, "who serves it is warned"
    with pytest.raises(InputError, match=r"T2: numbers are infinite in x1 \(1\).*replace them"):
        check_site(SiteConfig.read(file))
    file.write_text(before)
    text = (trial / "T2.toml").read_text()
    (trial / "T2.toml").write_text(text.replace("[table]\n", '[table]\ncategorical = ["x1"]\n'))
    assert "x1 (" in check_site(SiteConfig.read(trial / "T2.toml"))[3]
