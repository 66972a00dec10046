"""Perturbing as a notebook asks for it: how a scheme is bound, what is warned of, and what a seed gives."""

import pyarrow as pa
import pytest

from confide import Transactions
from confide.collect import CollectPerturb, CutAndPaste, Emask, GammaDiagonal, Mask, perturb
from confide.core.errors import InputError, UsageError
from confide.core.tables.frames import write_table

BASKETS = Transactions.from_lists([["tea"], ["tea", "milk"], ["milk", "beer", "nuts"]] * 30)
PEOPLE = pa.table({"sex": ["f", "m"] * 50, "ill": ["no", "yes", "no", "no"] * 25})
DRINKS = ("tea", "milk", "beer", "nuts")
SURVEY = GammaDiagonal(domains={"sex": ["f", "m"], "ill": ["no", "yes"]}, gamma=19)


def test_a_scheme_without_a_longest_record_is_bound_to_the_records_and_says_so():
    with pytest.raises(UsageError, match="names no items"):
        perturb(CollectPerturb(scheme=Mask(p=0.6), records=BASKETS, max_length=3))
    done = perturb(CollectPerturb(scheme=Mask(p=0.6), records=BASKETS, labels_from_data=True))
    assert (done.scheme.longest, set(done.scheme.universe)) == (3, {"tea", "milk", "beer", "nuts"})
    assert done.scheme.fingerprint[:16] in done.notes[0]
    assert done.release.passport.context["scheme"] == done.scheme.to_dict()
    assert sum("(labels_from_data)" in text for text in done.notes) == 2
    said = perturb(CollectPerturb(scheme=Mask(p=0.6, items=DRINKS), records=BASKETS, max_length=4))
    assert said.scheme.longest == 4
    assert not any("labels_from_data" in text for text in said.notes)
    assert said.release.passport.context["from_records"] == []


def test_a_table_is_released_under_the_schemes_own_promise():
    done = perturb(CollectPerturb(scheme=SURVEY.to_dict(), records=PEOPLE))
    assert done.data is done.release.data
    assert done.notes == (done.release.requirement.promise(),)
    assert done.document["requirement"] == done.release.requirement.to_dict()
    assert done.document["loss"]["records"] == 100


def test_a_seeded_draw_is_repeatable_and_not_released():
    one, two = (perturb(CollectPerturb(scheme=SURVEY, records=PEOPLE, seed=3)) for _ in range(2))
    assert one.data.equals(two.data)
    assert one.release is None
    assert one.data.equals(SURVEY.perturb(PEOPLE, randomness=_seeded(3)))
    assert "protects nobody" in one.notes[-1]
    assert set(one.document) == {"scheme", "records", "randomness"}


def _seeded(seed):
    from confide import Randomness

    return Randomness.seeded(seed)


def test_weak_schemes_and_records_that_cannot_be_mined_are_warned_of():
    weak = perturb(CollectPerturb(scheme=Emask(p=0.9, q=0.99, items=DRINKS), records=BASKETS, max_length=3))
    assert any(text.startswith("warning: telling whole records apart") for text in weak.notes)
    cut = perturb(CollectPerturb(scheme=CutAndPaste(K=2, rho=0.4, items=DRINKS), records=BASKETS, max_length=3))
    assert any("can be mined only if all hold equally many" in text for text in cut.notes)


def test_what_contradicts_the_scheme_is_refused():
    with pytest.raises(UsageError, match="leave out max_length, format"):
        perturb(CollectPerturb(scheme=SURVEY, records=PEOPLE, max_length=2))
    with pytest.raises(UsageError, match="says max_length=3"):
        perturb(CollectPerturb(scheme=Mask(p=0.6, max_length=3), records=BASKETS, max_length=4))
    with pytest.raises(InputError, match="holds no records"):
        perturb(CollectPerturb(scheme=SURVEY, records=PEOPLE.slice(0, 0)))


def test_columns_that_the_scheme_does_not_ask_for_are_left_out_when_named(tmp_path):
    import polars as pl

    wide = PEOPLE.append_column("name", pa.array([f"n{i}" for i in range(100)]))
    write_table(wide, tmp_path / "wide.csv")
    asked = {"scheme": SURVEY, "records": tmp_path / "wide.csv"}
    with pytest.raises(UsageError, match=r"does not ask for name, .* columns=sex,ill"):
        perturb(CollectPerturb(**asked))
    done = perturb(CollectPerturb(**asked, columns=["sex", "ill"]))
    assert done.data.column_names == ["sex", "ill"]
    assert done.notes[0].endswith("100 records, 3 fields, 1 of them left out")
    frame = perturb(CollectPerturb(scheme=SURVEY, records=pl.from_arrow(wide), columns=["sex", "ill"])).data
    assert isinstance(frame, pl.DataFrame)
    assert frame.columns == ["sex", "ill"]
    pandas = perturb(CollectPerturb(scheme=SURVEY, records=wide.to_pandas(), columns=["sex", "ill"])).data
    assert list(pandas.columns) == ["sex", "ill"]
    with pytest.raises(UsageError, match="no column 'age'; columns are: sex, ill, name"):
        perturb(CollectPerturb(**asked, columns=["age"]))
    with pytest.raises(UsageError, match="leave out columns="):
        perturb(CollectPerturb(scheme=Mask(p=0.6, items=DRINKS), records=BASKETS, max_length=3, columns=["sex"]))
