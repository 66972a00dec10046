from dataclasses import replace

import numpy as np
import pytest
from tests.oracles import block_noise as oracles

from confide import OutputPrivacy
from confide.audit.verifiers.streams.block_claims import BlockClaims
from confide.core.errors import RequirementError
from confide.core.streams.header import KeyedLaws
from confide.stream import StreamRelease
from confide.stream.blocks.law import RunNoise, least_block_epsilon, tree_nodes
from confide.stream.pipeline.opening import header_of

REQUIREMENT = OutputPrivacy(epsilon=0.2, delta=0.4, min_support=25, vulnerable=5)


def spanned(span):
    return replace(REQUIREMENT, span=span)


def test_a_run_has_half_that_stays_and_half_that_moves():
    noise = RunNoise.of(REQUIREMENT, blocks=20)
    assert float(noise.permanent.variance) == pytest.approx(5, rel=0.002)
    assert float(20 * noise.block.variance) == pytest.approx(1.104 * 5, rel=1e-4)


@pytest.mark.parametrize("span", ["run", "release", "stretch"])
@pytest.mark.parametrize("blocks", [1, 2, 20, 37])
def test_the_variance_promised_is_that_after_the_cut(span, blocks):
    noise = RunNoise.of(spanned(span), blocks=blocks)
    after = (noise.chances * np.arange(-noise.reach, noise.reach + 1) ** 2).sum()
    moving = 10 * noise.draws if noise.factor is None else 5 * float(noise.factor)
    wanted = moving + (0 if span == "release" else 5)
    assert wanted * (1 - 1e-9) <= after <= wanted * 1.002
    assert noise.chances.sum() == pytest.approx(1)


@pytest.mark.parametrize("span", ["run", "release", "stretch"])
def test_the_auditor_s_own_numbers_are_these(span):
    request = StreamRelease(records="-", min_support=25, epsilon=0.2, window=2000, every=50, promise=span, seed=1)
    claims, noise = BlockClaims(header_of(request)), RunNoise.of(spanned(span), blocks=40)
    assert not claims.sound()
    assert all(check.ok for check in claims.checks())
    assert (claims.threshold, claims.ceiling(2000)) == (noise.threshold, noise.ceiling(2000))
    np.testing.assert_allclose(claims.chances, noise.chances, atol=1e-12)


def test_windows_that_do_not_overlap_cover_every_stretch_without_a_tree():
    run, stretch = (RunNoise.of(spanned(span), blocks=1) for span in ("run", "stretch"))
    assert replace(stretch, requirement=run.requirement) == run
    request = StreamRelease(records="-", min_support=25, epsilon=0.2, window=400, every=400, promise="stretch", seed=1)
    claims = BlockClaims(header_of(request))
    assert not claims.sound()
    assert [check.name for check in claims.checks() if check.ok][1] == "cleaning blocks one by one gains nothing"
    short = KeyedLaws(**{**vars(claims.laws), "factor": 900})
    assert not all(x.ok for x in BlockClaims(replace(claims.header, noise=short)).checks())


def test_nothing_rare_can_be_published_by_itself():
    for delta in (0.1, 0.4, 1.0, 4.0):
        for span in ("run", "release", "stretch"):
            noise = RunNoise.of(replace(REQUIREMENT, delta=delta, epsilon=9, span=span), blocks=10)
            assert noise.mining_support > 5
            assert 2000 - (noise.ceiling(2000) + noise.reach) > 5  # nor by a set that nearly every record has


def test_a_tree_covers_every_stretch_once_with_few_nodes():
    for start in range(40):
        for stop in range(start + 1, 40):
            nodes = tree_nodes(start, stop)
            covered = [b for level, i in nodes for b in range(i << level, (i + 1) << level)]
            assert covered == list(range(start, stop))
            assert len(nodes) <= 2 * (stop - start).bit_length()


def test_an_epsilon_that_is_too_small_names_settings_that_work():
    tight = replace(REQUIREMENT, epsilon=0.01)
    with pytest.raises(RequirementError, match=r"epsilon=0.01 is too small") as refusal:
        RunNoise.of(tight, blocks=20)
    assert {name for cure in refusal.value.cures for name in cure} == {"epsilon", "min_support", "delta"}
    for cure in refusal.value.cures:
        RunNoise.of(replace(tight, **cure), blocks=20)
    assert least_block_epsilon(REQUIREMENT, 20) == refusal.value.cures[0]["epsilon"]


def test_what_no_blocks_can_keep_is_refused():
    with pytest.raises(RequirementError, match="promises nothing"):
        RunNoise.of(spanned("none"), blocks=20)
    with pytest.raises(RequirementError, match="blocks=0"):
        RunNoise.of(REQUIREMENT, blocks=0)


def test_the_variance_of_small_laws_by_hand():
    noise = RunNoise.of(REQUIREMENT, blocks=20)
    assert noise.variance == oracles.variance(noise.permanent) + 20 * oracles.variance(noise.block)
