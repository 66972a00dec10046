"""What several tests of joining lay out."""

import pytest

from confide.core.samples.chain import chain_tables
from confide.core.samples.chain_sites import chain_files
from confide.core.tables.frames import write_table
from confide.join.network.certificates import make_certificates


@pytest.fixture
def trial(tmp_path):
    """Two sites and a coordinator, as `confide sample chain` lays them out, with certificates."""
    chain = chain_tables(2, rows=60)
    for name, table in chain.tables.items():
        write_table(table, tmp_path / f"{name}.csv")
    for name, text in chain_files(chain).items():
        (tmp_path / name).write_text(text)
    make_certificates(tmp_path / "keys", ["T1", "T2", "registry"])
    return tmp_path
