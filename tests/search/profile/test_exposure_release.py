"""The release of an exposed part: what everybody may see of it, and what its owner alone."""

from confide.core.samples import figure_30
from confide.report import render, render_owner
from confide.search import Profile


def test_the_public_page_names_nothing_and_the_owners_page_what_is_exposed():
    profile = Profile.build(figure_30(), minsup=2, delta=0.6)
    release = profile.release(min_detail=0.3, hide=["sex"])
    public, owner = render(release), render_owner(release)
    assert "3 interests would leave the machine: 85% of what the profile says." in public
    assert not any(word in public for word in ("sports", "soccer", "sex"))
    assert "personalized/search" in owner
    assert "soccer" not in owner
    assert release.owner.charts[0].series["expRatio"][-1] < release.owner.charts[0].series["expRatio"][0] == 1
