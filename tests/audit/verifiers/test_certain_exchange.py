"""What a tree lists about who could tell what for certain: every lie that the file itself refutes is found."""

import pytest
from tests.audit.verifiers.test_exchange import FORM, failed, passport, put, sound

from confide.core.figures import Figure, Figures

TOLD = "nobody could tell more for certain than the sites allow"
FIGURE = "the passport's count of certain classes is the tree's"


def both(*changes):
    def change(artefact):
        for one in changes:
            one(artefact)

    return change


LIES = [
    (FORM, put("certain", 0, "keys", -1)),
    (FORM, put("certain", 0, "keys", 8.0)),
    (FORM, put("certain", 0, "keys", True)),
    (FORM, put("certain", 0, "allowed_classes", 1.5)),
    (FORM, put("certain", 0, "allowed_sides", float("nan"))),
    (FORM, put("certain", 0, "from", 7)),
    (FORM, put("certain", 0, "who", "Bob")),
    (FORM, put("certain", 0, None)),
    (FORM, lambda a: a["certain"][0].pop("keys")),
    (TOLD, lambda a: a["certain"].pop()),
    (TOLD, lambda a: a["certain"].append(dict(a["certain"][0]))),
    (TOLD, put("certain", 0, "to", "registry")),
    (TOLD, put("certain", [])),
    (TOLD, put("certain", 0, "class_keys", 1)),  # the receiver saw two
    (TOLD, put("certain", 0, "seen_class_keys", 1)),
    (TOLD, put("certain", 1, "seen_side_keys", 4)),
    (TOLD, put("certain", 0, "keys", 11)),  # more than the summary had entries
    (TOLD, put("certain", 0, "records", 7)),  # fewer than join values
    (TOLD, put("certain", 0, "class_records", 1)),
    (TOLD, put("certain", 0, "class_records", 10)),  # then one of the other six join values would have no record
    (TOLD, put("certain", 1, "side_records", 11)),
    (TOLD, both(put("certain", 1, "class_keys", 1), put("certain", 1, "class_records", 1))),
    (TOLD, put("certain", 0, "allowed_classes", 0.24)),
    (TOLD, put("certain", 1, "allowed_sides", 0.37)),
    (TOLD, put("certain", 1, "allowed_classes", 0.26)),  # more than the target's owner allows
]


@pytest.mark.parametrize(("check", "lie"), LIES)
def test_every_lie_about_what_could_be_told_fails_its_check(check, lie):
    artefact = sound()
    lie(artefact)
    assert failed(artefact, passport(sound())) == [check]


def test_classes_go_outward_from_the_target():
    artefact = sound()
    artefact["certain"][1].update(class_keys=1, class_records=1, seen_class_keys=1)
    assert failed(artefact, passport(sound())) == [TOLD]


def test_a_passport_that_counts_fewer_classes_than_its_tree_fails():
    issued = passport(sound())
    fewer = Figures(Figure("classes_certain", 1, "count"))
    assert failed(sound(), issued.model_copy(update={"loss": dict(fewer)})) == [FIGURE]
    assert failed(sound(), issued.model_copy(update={"loss": {}})) == [FIGURE]
