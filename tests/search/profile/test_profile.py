"""A profile end to end: the chapter's numbers, what always holds, editing, and what people hand in."""

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracles import searching

from confide.core.errors import InputError, RequirementError, UsageError
from confide.core.samples import documents, figure_30
from confide.search import Document, LocalIndex, Profile, exposure_ratio


@pytest.fixture(scope="module")
def thesis():
    return Profile.build(figure_30(), minsup=2, delta=0.6)


@pytest.fixture(scope="module")
def person():
    texts = [Document(text=text, name=f"note {i}") for i, text in enumerate(documents(300, seed=3))]
    return Profile.build(texts, minsup=5)


def test_the_worked_example_end_to_end(thesis):  # thesis, 5.2.2 and Figure 35; 0.580/0.684 is 85% (erratum 1)
    exposed = thesis.expose(min_detail=0.3)
    assert [(pair.words, pair.weight) for pair in exposed.pairs] == [
        (("research",), 0.301), (("personalized", "search"), 0.523), (("sports",), 0.456),
    ]  # fmt: skip
    assert round(exposed.entropy, 3) == 0.580
    assert round(exposed.full_entropy, 3) == 0.684
    assert round(exposed.exp_ratio, 3) == 0.848
    assert exposure_ratio(thesis, min_detail=0.3) == exposed.exp_ratio


def test_exposing_everything_is_warned_of(thesis):
    assert "the whole profile is exposed" in thesis.expose(min_detail=0).notes[0]
    assert thesis.expose(min_detail=0.3).notes == ()


def test_everything_and_nothing(thesis):
    assert exposure_ratio(thesis, min_detail=0) == 1
    assert len(thesis.expose(min_detail=0).pairs) == 6
    assert exposure_ratio(thesis, min_detail=0.9) == 0
    assert thesis.expose(min_detail=0.9).pairs == ()
    alone = Profile.build([["tea"], ["tea"]], minsup=2)
    assert exposure_ratio(alone, min_detail=1) == 1  # H(U) = 0


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=6), min_size=2, max_size=14),
    st.floats(0, 1, allow_nan=False),
)
def test_exp_ratio_is_the_slow_twins_within_bounds_and_falls_with_min_detail(rows, min_detail):
    try:
        profile = Profile.build(rows, minsup=2, min_share=0)
    except InputError as error:
        assert "no term is in" in str(error)
        return
    ratio = exposure_ratio(profile, min_detail=min_detail)
    twin = searching.exposure_ratio(searching.build(rows, 2, searching.Fraction(3, 5), 0), min_detail)
    assert ratio == pytest.approx(twin, abs=1e-6)
    assert 0 <= ratio <= 1
    assert exposure_ratio(profile, min_detail=min(1, min_detail + 0.1)) <= ratio + 1e-12


def test_hiding_takes_the_whole_branch_along_and_lowers_the_ratio(thesis):
    exposed = thesis.expose(min_detail=0, hide=["research"])
    assert {word for pair in exposed.pairs for word in pair.words} == {"sports", "soccer", "sex"}
    assert exposed.exp_ratio < 1
    assert thesis.hide("research").expose(min_detail=0).pairs == exposed.pairs
    assert thesis.hide("research").show("research").expose(min_detail=0).exp_ratio == 1


def test_a_branch_is_meant_by_word_label_or_path_and_never_missed_in_silence(thesis):
    for name in ("search", "SEARCH", "personalized/search", "research > search", " research  >  personalized "):
        left = thesis.expose(min_detail=0, hide=[name])
        assert len(left.pairs) == 5, name
    with pytest.raises(UsageError, match="no interest 'serach'; did you mean search"):
        thesis.expose(min_detail=0, hide=["serach"])
    with pytest.raises(UsageError, match="no interest 'sports > search'"):
        thesis.hide("sports > search")
    with pytest.raises(RequirementError, match="a list of branches"):
        thesis.expose(min_detail=0, hide="sex")


def test_an_owners_name_is_seen_by_the_owner_only(thesis):
    renamed = thesis.rename("research", "my thesis")
    assert "my thesis 5" in str(renamed)
    assert renamed.expose(min_detail=0.3).pairs == thesis.expose(min_detail=0.3).pairs
    hidden = renamed.hide("my thesis")  # under its new name, which is no word of the documents
    assert all("research" not in pair.words for pair in hidden.expose(min_detail=0).pairs)
    assert all("research" not in pair.words for pair in hidden.rename("my thesis", "x").expose(min_detail=0).pairs)


def test_a_deleted_branch_is_gone_and_its_weight_is_among_others(thesis):
    left = thesis.delete("sports")
    assert "sports" not in str(left)
    assert sum(left.root.leaves()) == thesis.root.units
    assert left.root.others == int(3.5 * thesis.root.units / 10)


def test_a_forgotten_document_leaves_no_trace(person):
    less = person.forget("note 7")
    again = Profile.build([d for i, d in enumerate(documents(300, seed=3)) if i != 7], minsup=5)
    assert str(less) == str(again)
    assert less.n_documents == 299
    assert "note 7" not in less.collection.names
    with pytest.raises(InputError, match="no document of this name"):
        less.forget("note 7")
    with pytest.raises(InputError, match="keeps no documents"):
        person.without_documents().forget("note 7")


def test_what_is_hidden_stays_hidden_when_the_profile_is_built_again(person):
    hidden = person.hide("illness").rename("sport", "training")
    less = hidden.forget("note 3")
    assert "training" in str(less)
    assert not any(word in ("illness", "anxiety") for p in less.expose(min_detail=0).pairs for word in p.words)


def test_a_hidden_branch_that_moves_stays_hidden():
    rows = [["sports", "soccer"]] * 4 + [["sports"]] * 3 + [["soccer"]] * 2 + [["tea"]] * 5
    texts = [Document(text=" ".join(row), name=str(i)) for i, row in enumerate(rows)]
    profile = Profile.build(texts, minsup=2)
    path = "sports > soccer"
    assert "soccer" in str(profile)
    hidden = profile.hide(path)
    for name in ("0", "1", "2"):  # now soccer is an interest of its own
        hidden = hidden.forget(name)
    assert any("soccer" in child.words for child in hidden.root.children)
    assert all("soccer" not in pair.words for pair in hidden.expose(min_detail=0).pairs)


def test_texts_are_cut_into_terms_and_shown_as_their_commonest_word(person):
    labels = str(person)
    assert "cycling" in labels
    assert "cycl " not in labels
    assert person.root.children[0].words == ("sport",)


@pytest.mark.parametrize("form", ["list", "pandas", "polars", "arrow", "series", "generator"])
def test_documents_come_in_whatever_form_people_have(form):
    texts = documents(80, seed=1)
    given = {
        "list": lambda: texts,
        "pandas": lambda: pd.DataFrame({"text": texts, "name": [str(i) for i in range(80)]}),
        "polars": lambda: pl.DataFrame({"text": texts}),
        "arrow": lambda: pa.table({"text": texts}),
        "series": lambda: pd.Series(texts),
        "generator": lambda: (text for text in texts),
    }[form]()
    assert str(Profile.build(given)) == str(Profile.build(texts))


def test_term_lists_come_as_frames_too():
    frame = pa.table({"terms": figure_30()})
    assert str(Profile.build(frame, minsup=2)) == str(Profile.build(figure_30(), minsup=2))


@pytest.mark.parametrize(
    ("given", "options", "line"),
    [
        ([], {}, "there are no documents"),
        ([["a"], ["b"]], {}, "minsup=5 is more than the 2 documents"),
        ([["a"], ["b"]], {"minsup": 2}, "no term is in 2 or more of the 2 documents"),
        (3, {}, "documents cannot be read from int"),
        ([3], {}, "a document cannot be a int"),
        (["text", 3], {}, "document 2 is not a text"),
    ],
)
def test_documents_that_make_no_profile_get_one_line(given, options, line):
    with pytest.raises(InputError, match=line):
        Profile.build(given, **options)


@pytest.mark.parametrize(
    "options",
    [{"delta": 0}, {"delta": 1.0}, {"minsup": 0}, {"min_share": 2}, {"max_depth": 0}, {"languages": ["elvish"]}],
)
def test_settings_that_make_no_sense_get_one_line(options):
    with pytest.raises(RequirementError):
        Profile.build(figure_30(), **options)


def test_export_is_plain_data_without_documents(thesis):
    plain = thesis.export()
    assert plain["documents"] == 10
    assert plain["interests"][0]["children"][0]["label"] == "personalized/search"
    assert plain["interests"][0]["self_information"] == pytest.approx(0.30103, abs=1e-5)


def test_a_query_exposes_only_what_it_has_to_do_with(person):
    everything = {pair.words for pair in person.expose(min_detail=0.01).pairs}
    asked = {pair.words for pair in person.expose(min_detail=0.01, query="sourdough oven").pairs}
    assert asked < everything
    assert any("baking" in words for words in asked)
    assert not any("sport" in words for words in asked)
    assert person.expose(min_detail=0.01, query="zzz").pairs == ()


def test_a_large_profile_prints_ten_lines_and_how_many_more_there_are():
    documents = [f"word{i} word{i} plain" for i in range(15) for _ in range(3)]
    profile = Profile.build(documents, minsup=2)
    lines = str(profile).splitlines()
    assert len(profile) > 10
    assert len(lines) == 11
    assert lines[-1] == f"... and {len(profile) - 10} more"


def test_words_of_ordinary_language_become_interests_only_if_all_terms_are_wanted():
    def padding(n):
        return " ".join("q" + "".join(chr(97 + int(digit)) for digit in str(100 * n + k)) for k in range(60))

    texts = [f"the bike {'and people, time and time again' if n < 5 else ''} {padding(n)}" for n in range(40)]
    assert {word for one in Profile.build(texts).root.walk() for word in one.words} == {"bike"}
    everything = Profile.build(texts, vocabulary="all").root
    assert {"people", "time", "bike"} <= {word for one in everything.walk() for word in one.words}
    with pytest.raises(RequirementError, match="vocabulary='some' is none of: informative, all"):
        Profile.build(texts, vocabulary="some")


def test_texts_in_which_nothing_stands_out_make_no_profile():
    with pytest.raises(InputError, match=r"stands out.*vocabulary='all'"):
        Profile.build(["good people do good things all the time"] * 2 + ["other words entirely"] * 40, minsup=41)


def test_a_dropped_word_stays_out_when_the_profile_is_built_again():
    texts = [Document(text=f"the gearbox and engine of car number {n}", name=f"n{n}") for n in range(20)]
    dropped = Profile.build(texts, minsup=3).drop("gearboxes").forget("n3")
    words = {word for interest in dropped.root.walk() for word in interest.words}
    assert "gearbox" not in words
    assert "engine" in words
    assert all("gearbox" not in pair.words for pair in dropped.expose(min_detail=0).pairs)
    with pytest.raises(InputError, match="does not hold this word"):
        dropped.drop("sourdough")


def test_words_that_an_index_finds_ordinary_are_no_interests(tmp_path):
    """Bikers write of posts as everybody in their forum does; English does not say so, an index of the forum does."""
    own = [f"my bike and its gearbox, in post number {n}" for n in range(40)]
    forum = LocalIndex.build([(f"p{n}", f"a post of somebody's about matter {n % 7}") for n in range(2000)])
    alone, beside = Profile.build(own), Profile.build(own, index=forum)

    def terms(profile):
        return {term for interest in profile.root.walk() for term in interest.terms}

    assert {"bike", "post"} <= terms(alone)
    assert "bike" in terms(beside)
    assert "post" not in terms(beside)
    beside.save(tmp_path / "me.profile")
    again = Profile.read(tmp_path / "me.profile")
    assert again.collection.usual == beside.collection.usual
    assert set(again.collection.usual.counts) <= set(again.collection.data.labels)
    named = Profile.build([Document(text=text, name=str(n)) for n, text in enumerate(own)], index=forum)
    assert "post" not in terms(named.forget("3"))


def test_an_index_of_the_same_folder_leaves_the_language_to_decide():
    own = [f"my bike and its gearbox, in post number {n}" for n in range(40)]
    same = LocalIndex.build([(f"p{n}", text) for n, text in enumerate(own)])
    assert Profile.build(own, index=same).export() == Profile.build(own).export()
