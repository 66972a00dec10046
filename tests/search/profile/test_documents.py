"""Which words of a document count: one's own, and no names of people."""

from confide.search.profile.documents import Document, collect_documents
from confide.search.words import Words

BODY = "Ann rides on {n}.\nGravel is dry.\nSent from my telephone"


def terms(documents, **options):
    collection = collect_documents(documents, Words(), **options)
    return [set(row) for row in collection.data]


def test_a_line_of_five_documents_counts_in_none_of_them():
    four = terms([Document(text=BODY.format(n=f"w{n}ord")) for n in range(4)])
    five = terms([Document(text=BODY.format(n=f"w{n}ord")) for n in range(5)])
    assert all("telephon" in found for found in four)
    assert not any({"telephon", "gravel"} & found for found in five)
    assert all("ride" in found for found in five)


def test_short_documents_and_titles_in_a_history_keep_every_line():
    assert all(found == {"gravel", "bike"} for found in terms(["gravel bike"] * 9))
    assert all("telephon" in found for found in terms([Document(text=BODY, source="history")] * 9))


def test_names_of_people_are_left_out_everywhere_unless_they_are_wanted():
    mail = Document(text="Ann rides.", source="mail", people=("Ann Biker",))
    other = Document(text="Lend Ann a biker.")
    assert terms([mail, other]) == [{"ride"}, {"lend"}]
    assert terms([mail, other], names=True) == [{"ann", "ride"}, {"lend", "ann", "biker"}]


def test_quotes_count_for_nobody():
    assert terms(["> old tea\nfresh coffee"]) == [{"fresh", "coffe"}]
