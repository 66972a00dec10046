"""What a column probably is, by its name, its type and how unique its values are. Doubt goes to the safe side.

What nobody could say anything about becomes a quasi-identifier: a column wrongly taken for one costs detail, a column
wrongly left out can give people away.
"""

import re
import unicodedata

from confide.core.tables.schema import Role
from confide.publish.tables.proposal.facts import ColumnFacts

__all__ = ["probable_role"]

_IDENTIFIER = """
name firstname forename givenname lastname surname familyname fullname username login email mail phone telephone tel
mobile fax ssn nhs iban account passport licence license plate url ip address street fingerprint signature
vorname nachname familienname geburtsname benutzername telefon handy anschrift adresse strasse hausnummer konto ausweis
kennzeichen unterschrift versichertennummer steuernummer
nom prenom courriel mel telephone portable rue compte passeport permis immatriculation nir
"""
_KEY = (
    "id key number no nr nbr uuid guid code identifier mrn nummer kennung schluessel numero identifiant cle matricule"
)
_SENSITIVE = """
diagnosis diagnoses disease illness disorder condition symptom treatment therapy medication drug hiv aids cancer
diabetes stroke depression health hospital surgery income salary wage wages pay earnings debt credit loan balance wealth
religion belief party vote politics political sexual orientation union crime criminal conviction offence arrest grade
score iq test result outcome benefit disability pregnancy addiction alcohol smoking smoker diag icd heart attack hlth
cholesterol chol glucose insulin bp
diagnose krankheit erkrankung befund symptom behandlung therapie medikament krebs gesundheit klinik krankenhaus
einkommen gehalt lohn verdienst schulden kredit vermoegen religion konfession partei straftat ergebnis rente
behinderung schwangerschaft sucht alkohol raucher blutdruck
diagnostic maladie affection traitement medicament sante hopital chirurgie revenu salaire dette pret patrimoine parti
syndicat condamnation resultat allocation handicap grossesse alcool tabac fumeur
"""
_QUASI = """
age birth birthday birthdate dob born year sex gender race ethnicity ethnic colour color zip zipcode postcode postal
plz city town village place district county region state province country nation nationality native citizenship origin
language marital family relationship household children kids spouse education degree school university occupation job
profession work workclass employer employment industry sector company rank title height weight location
latitude longitude lat lon area date admission discharge
alter geburt geburtstag geburtsdatum geburtsjahr jahr geschlecht herkunft postleitzahl ort wohnort stadt gemeinde kreis
landkreis bundesland land staat nationalitaet staatsangehoerigkeit sprache familienstand haushalt kinder bildung
abschluss schule beruf taetigkeit branche arbeitgeber firma groesse gewicht datum aufnahme entlassung
naissance annee sexe genre origine cp commune ville departement pays nationalite citoyennete langue matrimonial
matrimoniale menage enfants conjoint diplome ecole etudes metier profession emploi employeur secteur entreprise taille
poids sortie
"""
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})
_WORDS = {
    kind: frozenset(words.split())
    for kind, words in (("identifier", _IDENTIFIER), ("key", _KEY), ("sensitive", _SENSITIVE), ("quasi", _QUASI))
}


def probable_role(facts: ColumnFacts) -> tuple[Role, str]:
    """A role, and why."""
    words = _words(facts.name)
    if facts.kind == "contact":
        return "identifier", "its values are addresses or telephone numbers"
    if words & _WORDS["identifier"]:
        return "identifier", "its name says so"
    if facts.different <= 1:
        return "insensitive", "it has one value only"
    if words & _WORDS["key"] and not words & (_WORDS["quasi"] | _WORDS["sensitive"]) and facts.kind != "number":
        if facts.nearly_unique or facts.rows < 20:
            return "identifier", "its name says so, and each row has its own value"
        if facts.different > facts.rows / 20:
            return "person", "its name says so, and values repeat: a person seems to have several rows"
    if words & _WORDS["sensitive"]:
        return "sensitive", "its name says so"
    if words & {"class", "target", "label"}:
        return "class", "its name says that it is what is to be learned"
    if words & _WORDS["quasi"]:
        return "quasi-identifier", "its name says that others may know it"
    if facts.nearly_unique and facts.kind in ("text", "code", "whole"):
        return "identifier", f"{facts.different:,} different values in {facts.rows:,} rows"
    return (
        "quasi-identifier",
        "nothing says that others cannot know it; make it insensitive, or sensitive, if they cannot",
    )


def _words(name: str) -> set[str]:
    """The words of a column's name: marital-status, maritalStatus and MARITAL_STATUS alike; also run together.

    Accents are dropped, as are umlauts in two ways: Größe is groesse and grosse.
    """
    spaced = re.sub(r"(?<=[^\W\d_A-Z])(?=[A-Z])|(?<=[0-9])(?=[A-Z])", " ", name)
    found: set[str] = set()
    for text in (spaced.lower().translate(_UMLAUTS), spaced.lower().replace("ß", "ss")):
        plain = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
        words = re.findall(r"[a-z]+", plain)
        found |= {*words, "".join(words)}
    return found
