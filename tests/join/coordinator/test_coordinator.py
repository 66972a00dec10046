"""A coordinator's record of a run decides whether it is run again, resumed or refused."""

import json

import pytest
from tests.join.sites import small

from confide.core.errors import InputError, UsageError


def test_a_finished_run_is_resumed_by_reading_its_tree_and_asking_nobody(tmp_path):
    coordinator, _ = small(state=tmp_path / "state")
    tree = coordinator.train()
    again, sites = small(state=tmp_path / "state")
    assert again.train(resume=True).to_dict() == tree.to_dict()
    assert again.was_finished
    assert all(site.runs.current is None for site in sites)


def test_a_run_resumes_only_with_the_same_question_and_the_same_terms_of_release(tmp_path):
    coordinator, _ = small(state=tmp_path / "state")
    with pytest.raises(UsageError, match=f"no run to resume in {tmp_path / 'state'}; train without resuming"):
        coordinator.train(resume=True)
    coordinator.train()
    other, _ = small(state=tmp_path / "state", max_depth=1)
    with pytest.raises(UsageError, match=f"the run in {tmp_path / 'state'} had other sites or parameters"):
        other.train(resume=True)
    other, _ = small(state=tmp_path / "state")
    other.confidence = 0.1
    with pytest.raises(UsageError, match=f"the run in {tmp_path / 'state'} is finished, with other parameters"):
        other.train(resume=True)


def test_without_a_state_folder_there_is_nothing_to_resume():
    coordinator, _ = small()
    with pytest.raises(UsageError, match="there is no run to resume; train without resuming"):
        coordinator.train(resume=True)


@pytest.mark.parametrize("text", ["", "[]", "{", json.dumps({"run": "a"})])
def test_a_broken_record_is_named(tmp_path, text):
    coordinator, _ = small(state=tmp_path / "state")
    coordinator.train()
    (tmp_path / "state" / "run.json").write_text(text)
    with pytest.raises(InputError, match=r"run\.json: is not the record of a run"):
        coordinator.train(resume=True)


def test_a_wrong_criterion_is_refused_before_anybody_is_asked():
    coordinator, sites = small(criterion="luck")
    with pytest.raises(Exception, match="no criterion 'luck'; criteria are: gain_ratio, information_gain, gini"):
        coordinator.train()
    assert all(site.runs.current is None for site in sites)
