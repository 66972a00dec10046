"""The auditor finds every way in which an exposed profile could hold more than it may."""

import copy
from dataclasses import replace

import pytest

from confide import verify
from confide.audit.verifiers.exposure import verify_exposure
from confide.core.checks import Verification
from confide.core.errors import VerificationError
from confide.core.samples import documents, figure_30
from confide.core.stages import STAGES
from confide.search import Profile
from confide.search.exposed import ExposedProfile, Pair
from confide.search.profile.exposure_release import issue


@pytest.fixture(scope="module")
def profile():
    return Profile.build(figure_30(), minsup=2, delta=0.6)


def checked(release, data=None, evidence=None):
    data = release.data if data is None else data
    return Verification.of(verify_exposure(data, release.passport, evidence))


def test_a_release_passes_for_everybody_and_for_its_owner(profile, tmp_path):
    release = profile.release(min_detail=0.3)
    release.write(tmp_path / "exposed.json")
    passport = tmp_path / "exposed.json.passport.json"
    everybody, owner = verify(passport), verify(passport, evidence=profile.evidence())
    assert everybody.ok
    assert owner.ok
    assert len(owner.checks) == len(everybody.checks) + 4
    other = Profile.build(documents(100), minsup=5)
    assert not verify(passport, evidence=other.evidence()).ok


def changed(release, change):
    data = copy.deepcopy(release.data)
    change(data["pairs"], data)
    return data


@pytest.mark.parametrize(
    "change",
    [
        lambda pairs, data: pairs[0].update(support=5),
        lambda pairs, data: data.update(documents=["D1"]),
        lambda pairs, data: data.update(version=2),
        lambda pairs, data: data.update(version=True),
        lambda pairs, data: pairs[0].update(weight=0.30103),
        lambda pairs, data: pairs[0].update(weight=-0.1),
        lambda pairs, data: pairs[0].update(weight="0.3"),
        lambda pairs, data: pairs[0].update(weight=float("nan")),
        lambda pairs, data: pairs[0].update(term="research"),
        lambda pairs, data: pairs[0].update(term=[]),
        lambda pairs, data: pairs.append({"term": ["sex"], "weight": 0.824}),
        lambda pairs, data: pairs.pop(),
    ],
)
def test_anybody_sees_what_does_not_belong(profile, change):
    release = profile.release(min_detail=0.3)
    assert not checked(release, changed(release, change)).ok


@pytest.mark.parametrize(
    "change",
    [
        lambda pairs, data: pairs[0].update(term=["sex"]),
        lambda pairs, data: pairs[0].update(weight=0.3),
        lambda pairs, data: pairs[1].update(term=["search", "personalized"]),
        lambda pairs, data: pairs.__setitem__(2, dict(pairs[0])),
    ],
)
def test_the_owner_sees_what_is_not_in_the_profile(profile, change):
    release = profile.release(min_detail=0.3)
    data = changed(release, change)
    assert checked(release, data).ok
    assert not checked(release, data, profile.evidence()).ok


def test_what_was_to_be_hidden_is_looked_for(profile):
    release = profile.release(min_detail=0)
    assert checked(release, evidence=profile.evidence()).ok
    for name in ("sex", "research", "soccer"):
        assert not checked(release, evidence=profile.evidence(hide=[name])).ok
        assert not checked(release, evidence=profile.hide(name).evidence()).ok


def test_a_child_without_its_parent_is_found(profile):
    exposed = profile.expose(min_detail=0)
    without = tuple(pair for pair in exposed.pairs if pair.words != ("sports",))
    with pytest.raises(VerificationError, match="without the one above"):
        issue(replace(exposed, profile=ExposedProfile(without)), profile.evidence())


def test_a_stage_that_exposes_too_much_cannot_issue_a_release(profile):
    exposed = profile.expose(min_detail=0.3)
    for extra in (Pair(("sex",), 0.824), Pair(("Fox",), 0.2)):
        more = replace(exposed, profile=ExposedProfile((*exposed.pairs, extra)))
        with pytest.raises(VerificationError, match="does not keep its promise"):
            issue(more, profile.evidence())


def test_another_ratio_than_the_profiles_is_found(profile):
    exposed = profile.expose(min_detail=0.3)
    with pytest.raises(VerificationError, match="expRatio"):
        issue(replace(exposed, entropy=exposed.entropy / 2), profile.evidence())


def test_the_passport_names_nothing_that_was_hidden(profile):
    text = profile.release(min_detail=0, hide=["sex"]).passport.to_json()
    assert "sex" not in text
    assert STAGES["search"].not_provable[0].startswith("to anybody but the owner")
