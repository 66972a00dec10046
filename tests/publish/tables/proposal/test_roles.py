import pyarrow as pa
import pytest

from confide.publish.tables.proposal.facts import facts_of
from confide.publish.tables.proposal.roles import probable_role


@pytest.mark.parametrize(
    ("name", "values", "role"),
    [
        ("name", ["a", "b"], "identifier"),
        ("e-mail", ["a", "b"], "identifier"),
        ("Telephone", ["a", "b"], "identifier"),
        ("contact", [f"p{n}@x.org" for n in range(30)], "identifier"),
        ("patient_id", [f"P{n}" for n in range(30)], "identifier"),
        ("patientId", [f"P{n % 9}" for n in range(30)], "person"),
        ("patient_nbr", [n % 9 for n in range(30)], "person"),
        ("diag_1", ["250.8", "?"], "sensitive"),
        ("HeartDiseaseorAttack", [0.0, 1.0], "sensitive"),
        ("reference", [f"P{n}" for n in range(30)], "identifier"),
        ("marital-status", ["a", "b"], "quasi-identifier"),
        ("maritalStatus", ["a", "b"], "quasi-identifier"),
        ("ZIP_CODE", ["10115", "10117"], "quasi-identifier"),
        ("Age", [31, 32], "quasi-identifier"),
        ("HIV", ["yes", "no"], "sensitive"),
        ("salary-class", ["<=50K", ">50K"], "sensitive"),
        ("class", ["a", "b"], "class"),
        ("release", ["x"] * 9, "insensitive"),
        ("zyx", ["a", "b"], "quasi-identifier"),
        ("Straße", ["a", "b"], "identifier"),
        ("Familienname", ["a", "b"], "identifier"),
        ("PRÉNOM", ["a", "b"], "identifier"),
        ("numéro_patient", [f"P{n}" for n in range(30)], "identifier"),
        ("Krankenkasse_Diagnose", ["a", "b"], "sensitive"),
        ("Vermögen", [1, 2], "sensitive"),
        ("état de santé", ["a", "b"], "sensitive"),
        ("Größe", [170, 180], "quasi-identifier"),
        ("Geburtsjahr", [1970, 1980], "quasi-identifier"),
        ("codePostal", ["75001", "75002"], "quasi-identifier"),
        ("measure", [n + 0.5 for n in range(30)], "quasi-identifier"),
    ],
)
def test_what_a_column_seems_to_be(name, values, role):
    found, why = probable_role(facts_of(name, pa.chunked_array([values])))
    assert found == role
    assert why
