"""What is wrong before anybody is served is said in one line: ports, keys, dates, sites given twice."""

import socket
from datetime import UTC, datetime, timedelta

import pytest
from tests.join.sites import confide

from confide.core.errors import InputError, UsageError
from confide.join.configuration.config_files import JoinConfig, SiteConfig
from confide.join.configuration.parties import credentials_of, hosting, site_of, start_server
from confide.join.network import certificates


def credentials(folder, name="T1"):
    config = SiteConfig.read(folder / f"{name}.toml")
    return credentials_of(config.tls, config.folder, config.name)


def test_a_port_in_use_is_said(trial):
    config = SiteConfig.read(trial / "T1.toml")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        there = config.model_copy(update={"listen": f"127.0.0.1:{taken.getsockname()[1]}"})
        with pytest.raises(UsageError, match=r"cannot serve at 127\.0\.0\.1:\d+: another program listens there"):
            start_server(there)
    with pytest.raises(InputError, match=r"cannot serve at 192\.0\.2\.1:0: "):
        start_server(config.model_copy(update={"listen": "192.0.2.1:0"}))


def test_a_key_of_another_party_is_said(trial):
    (trial / "keys" / "T1.key").write_bytes((trial / "keys" / "T2.key").read_bytes())
    with pytest.raises(InputError, match=r"T1\.key: this private key does not belong to the certificate .*T1\.pem"):
        credentials(trial)
    found = confide("join", "site", "--config", "T1.toml", "--check", cwd=trial)
    assert found.returncode == 2
    assert "does not belong to the certificate" in found.stderr


@pytest.mark.parametrize(
    ("shift", "message"),
    [(-60, r"(T1|ca)\.pem: expired on \d{4}-\d\d-\d\d"), (60, r"(T1|ca)\.pem: is not valid before \d{4}-\d\d-\d\d")],
)
def test_a_certificate_that_is_not_valid_now_is_said(trial, monkeypatch, shift, message):
    class Then(datetime):
        @classmethod
        def now(cls, tz=None):
            return datetime.now(tz) + timedelta(days=shift)

    assert credentials(trial).name == "T1"
    monkeypatch.setattr(certificates, "datetime", Then)
    certificates.make_certificates(trial / "other", ["T1"])
    for name in ("ca.pem", "T1.pem", "T1.key"):
        (trial / "keys" / name).write_bytes((trial / "other" / name).read_bytes())
    with pytest.raises(InputError, match=message):
        credentials(trial)
    assert Then.now(UTC) != datetime.now(UTC)


def test_a_class_column_without_a_class_is_said_before_anybody_asks(trial):
    header, *lines = (trial / "T1.csv").read_text().splitlines()
    place = header.split(",").index("class")
    emptied = [",".join("" if i == place else part for i, part in enumerate(line.split(","))) for line in lines]
    (trial / "T1.csv").write_text("\n".join([header, *emptied]) + "\n")
    with pytest.raises(InputError, match="the class column 'class' of T1 is empty in every record"):
        site_of(SiteConfig.read(trial / "T1.toml"), state=False)


def test_a_site_given_twice_or_of_another_join_is_not_served(trial):
    parties = [*JoinConfig.read(trial / "join.toml").sites]
    with (
        pytest.raises(UsageError, match="with_sites names 'T1' twice"),
        hosting((trial / "T1.toml",) * 2, parties),
    ):
        pass
    (trial / "T9.toml").write_text((trial / "T2.toml").read_text().replace('name = "T2"', 'name = "T9"'))
    with (
        pytest.raises(UsageError, match=r"T9\.toml is of 'T9', which is not a site of this join: T1, T2"),
        hosting((trial / "T1.toml", trial / "T9.toml"), parties),
    ):
        pass


def test_a_tree_without_a_split_says_why_that_may_be(trial):
    for name in ("T1", "T2"):
        columns = [c for c in (trial / f"{name}.csv").read_text().splitlines()[0].split(",") if c != "class"]
        text = (trial / f"{name}.toml").read_text()
        (trial / f"{name}.toml").write_text(text.replace("min_records = 1\n", f"min_records = 1\nforbid = {columns}\n"))
    found = confide("join", "simulate", "join.toml", "-o", "tree.json", cwd=trial)
    assert found.returncode == 0, found.stderr
    assert "the tree is its root alone: no site offered a split" in found.stderr
    checked = confide("join", "site", "--config", "T2.toml", "--check", cwd=trial)
    assert "forbids every column" in checked.stderr
