"""Two entries exchanged in what a kernel wrote: what is released is right all the same, or it does not leave.

Every kernel of `publish` and `share` is in one of two lists. A fault in a search (which items go, where a table is cut)
may lead to another choice: a release as right as any, if a worse one. A fault in cells, groups or counts that shows in
the release is refused, by the comparison with what was read or by the verifier of the promise; and after some faults
the publisher itself fails. Whether a release is right is judged by a plain twin (`oracles/faithful.py`).
"""

import pytest
from tests.amounts import some
from tests.fault_cases import CASES
from tests.faults import Fault, as_python, kernels_of, until_it_ends

KERNELS = kernels_of("confide.publish", "confide.share")

FAULTS = {
    "publish.tables.averaging._centre_kernels:cut_groups": "averaged",
    "publish.tables.averaging._centre_kernels:_part": "averaged",
    "publish.tables.averaging._centre_kernels:move_rows": "averaged",
    "publish.tables.cells.grouping_kernels:group_cells": "incognito",
    "publish.tables.cells.grouping_kernels:by_group": "incognito, diverse",
    "publish.tables.cells.grouping_kernels:merge_tokens": "incognito, diverse",
    "publish.tables.cells.grouping_kernels:add_counts": "incognito",
    "publish.tables.cells.judging_kernels:histogram": "incognito, diverse",
    "publish.tables.cells.judging_kernels:judge": "incognito, diverse",
    "publish.tables.group_tests._row_kernels:_sorted_by": "mondrian",
    "publish.tables.k_optimize._bound_kernels:cut_bounds": "k-optimize",
    "publish.tables.k_optimize._segment_kernels:segments": "k-optimize",
    "publish.tables.k_optimize._segment_kernels:numbered": "k-optimize",
    "publish.tables.k_optimize._segment_kernels:group_by_segments": "k-optimize",
    "publish.tables.mondrian._child_kernels:set_apart": "mondrian",
    "publish.tables.mondrian._child_kernels:_take_back": "mondrian",
    "publish.tables.mondrian._child_kernels:_count_children": "mondrian",
    "publish.tables.mondrian._child_kernels:_rest_ok": "mondrian, diverse",
    "publish.tables.mondrian._partition_kernels:partition": "mondrian",
    "publish.tables.mondrian._partition_kernels:_keep": "mondrian",
    "publish.tables.mondrian._partition_kernels:_choose": "mondrian",
    "publish.tables.mondrian._partition_kernels:_cut_region": "mondrian",
    "publish.tables.mondrian._partition_kernels:_move": "mondrian",
    "publish.tables.mondrian._partition_kernels:_put_back": "mondrian",
    "publish.tables.mondrian._partition_kernels:_divide_range": "mondrian",
    "publish.tables.mondrian._partition_kernels:_divide_children": "mondrian",
    "publish.tables.mondrian._range_kernels:best_range": "mondrian",
    "publish.tables.mondrian._range_kernels:_by_value": "mondrian",
    "publish.tables.mondrian._range_kernels:_sort_by_value": "mondrian",
    "publish.tables.mondrian._range_kernels:_sides_ok": "mondrian, persons",
    "publish.tables.mondrian._region_kernels:narrow": "mondrian",
    "publish.tables.mondrian._region_kernels:_narrow_node": "mondrian",
    "publish.tables.mondrian._region_kernels:_narrow_range": "mondrian, missing",
    "publish.tables.mondrian._tally_kernels:begin_tally": "mondrian, persons",
    "publish.tables.mondrian._tally_kernels:tally": "mondrian, diverse",
    "publish.tables.one_dimensional._curve_kernels:hilbert": "one-dimensional",
    "publish.tables.one_dimensional._curve_kernels:nearest": "one-dimensional, idistance",
    "publish.tables.one_dimensional._group_kernels:diverse_groups": "one-dimensional, diverse",
    "publish.tables.one_dimensional._group_kernels:join_until_ok": "one-dimensional",
    "publish.tables.one_dimensional._group_kernels:smallest_nodes": "one-dimensional",
    "publish.tables.regrouping._pool_kernels:_put": "regrouped",
    "publish.tables.regrouping._pool_kernels:count_in": "regrouped, persons",
    "publish.tables.regrouping._pool_kernels:count_persons": "regrouped, persons",
    "publish.tables.regrouping._pool_kernels:put_together": "regrouped",
    "publish.tables.regrouping._regrouping_kernels:_find_near": "regrouped",
    "publish.tables.regrouping._regrouping_kernels:_keep_rest": "regrouped, longer",
    "publish.tables.regrouping._regrouping_kernels:_measure": "regrouped",
    "publish.tables.regrouping._regrouping_kernels:_numbered": "regrouped",
    "publish.tables.regrouping._regrouping_kernels:_settle": "regrouped, longer",
    "publish.tables.regrouping._regrouping_kernels:_take": "regrouped",
    "publish.tables.regrouping._regrouping_kernels:regroup_block": "regrouped, persons",
    "publish.tables.series._joining_kernels:find_partners": "continued, joined",
    "publish.tables.series._joining_kernels:join_regions": "continued, joined",
    "publish.tables.series._joining_kernels:list_losses": "continued, joined",
    "publish.tables.series._matching_kernels:find_outside": "continued",
    "publish.tables.series._matching_kernels:grow": "continued",
    "publish.tables.series._matching_kernels:list_nearest": "continued",
    "publish.tables.series._matching_kernels:take_places": "continued",
    "publish.tables.specialization._split_kernels:judge_splits": "top-down",
    "publish.transactions.families._diagram_count_kernels:in_levels": "walk",
    "publish.transactions.families._diagram_count_kernels:in_order": "walk",
    "publish.transactions.families._diagram_count_kernels:without_levels": "walk",
    "publish.transactions.families._diagram_count_kernels:held_alone": "zdd",
    "publish.transactions.families._diagram_count_kernels:counts": "walk",
    "publish.transactions.families._diagram_kernels:_node": "walk",
    "publish.transactions.families._diagram_kernels:_remember": "walk",
    "publish.transactions.families._diagram_kernels:combine": "walk",
    "publish.transactions.families._diagram_kernels:family": "walk",
    "publish.transactions.families._diagram_kernels:down_closure": "walk",
    "publish.transactions.moles._dense_judging_kernels:sort_by_support": "items",
    "publish.transactions.moles._dense_judging_kernels:_keep_largest": "items, whole records",
    "publish.transactions.moles._dense_judging_kernels:open_children": "items, whole records",
    "publish.transactions.moles._dense_kernels:_children_without": "items, whole records",
    "publish.transactions.moles._dense_kernels:expand": "items",
    "publish.transactions.moles.mole_kernels:with_moles": "items",
    "publish.transactions.moles.mole_kernels:filled": "items",
    "publish.transactions.moles.mole_kernels:item_counts": "items",
    "publish.transactions.moles.mole_kernels:ranked_lengths": "items",
    "publish.transactions.moles.mole_kernels:ranked_rows": "items",
    "publish.transactions.moles.mole_kernels:commonest_private": "items",
    "publish.transactions.moles.mole_kernels:to_codes": "items",
    "publish.transactions.moles.mole_kernels:hash_table": "items, whole records",
    "publish.transactions.moles._row_count_kernels:pair_counts": "items, sparse",
    "publish.transactions.moles._row_count_kernels:count_after": "items, sparse",
    "publish.transactions.moles._row_count_kernels:counted_pairs": "items, sparse",
    "publish.transactions.moles._small_database_kernels:_copy_columns": "items",
    "publish.transactions.moles._small_database_kernels:copy_cohort": "items",
    "publish.transactions.moles._small_database_kernels:copy_second": "items, whole records",
    "publish.transactions.moles._sparse_kernels:_deliver": "items, sparse",
    "publish.transactions.moles._sparse_kernels:_descend": "items, sparse",
    "publish.transactions.moles._sparse_kernels:_candidates": "items, sparse",
    "publish.transactions.moles._sparse_kernels:_sort_by_support": "items, sparse",
    "publish.transactions.moles._sparse_kernels:_sort_by_breach": "items, sparse",
    "publish.transactions.moles._sparse_kernels:expand": "items, sparse",
    "publish.transactions.families._visit_kernels:walk": "walk",
    "publish.transactions.families._visit_kernels:remove_item": "walk",
    "publish.transactions.families._visit_kernels:insert_item": "walk",
    "publish.transactions.generalisation._peeling_kernels:find_leaving": "broader names",
    "publish.transactions.generalisation._peeling_kernels:_tally": "broader names",
    "publish.transactions.generalisation._peeling_kernels:_tally_and_find": "broader names",
    "publish.transactions.generalisation._peeling_kernels:_by_name": "broader names",
    "publish.transactions.generalisation._peeling_kernels:sees_rare": "broader names",
    "publish.transactions.generalisation._peeling_kernels:count_names": "broader names",
    "publish.transactions.moles._worst_kernels:worst_below": "items",
    "publish.transactions.suppression.greedy_kernels:greedy": "items",
    "publish.transactions.suppression.greedy_kernels:replay": "items",
    "publish.transactions.suppression.greedy_kernels:_by_group": "k-anonymizer",
    "publish.transactions.suppression.greedy_kernels:splits": "k-anonymizer",
    "publish.transactions.suppression.greedy_kernels:split_by": "k-anonymizer",
    "publish.transactions.suppression._optimal_kernels:_decide": "optimal",
    "publish.transactions.suppression._optimal_kernels:_break_moles": "optimal",
    "publish.transactions.suppression._optimal_kernels:_measure": "optimal",
    "publish.transactions.suppression._optimal_kernels:_unpaid": "optimal",
    "publish.transactions.suppression._optimal_kernels:_go_back": "optimal",
    "publish.transactions.suppression._optimal_kernels:search": "optimal",
    "publish.transactions.suppression._record_kernels:admit": "items, whole records",
    "publish.transactions.suppression._exchange_kernels:begin": "items",
    "publish.transactions.suppression._exchange_kernels:_take_out": "items",
    "publish.transactions.suppression._exchange_kernels:_put_back": "items",
    "publish.transactions.suppression._exchange_kernels:_list_going": "items",
    "publish.transactions.suppression._exchange_kernels:_swap": "items",
    "publish.transactions.suppression._exchange_kernels:_exchange": "items",
    "publish.transactions.suppression._exchange_kernels:begin_search": "items",
    "publish.transactions.suppression._exchange_kernels:_draw": "items",
    "publish.transactions.suppression._exchange_kernels:_copy": "items, whole records",
    "publish.transactions.suppression._exchange_kernels:go_on": "items",
    "share.anonymization._growth_kernels:_count_codes": "grown",
    "share.anonymization._growth_kernels:_merged": "pruned with records",
    "share.anonymization._growth_kernels:_larger": "grown",
    "share.anonymization._growth_kernels:_children": "grown",
    "share.anonymization._growth_kernels:grow_diverse": "pruned with records",
    "share.anonymization._growth_kernels:locate": "grown, validated",
    "share.pruning.leaf_kernels:top_sum": "pruned, many values",
    "share.pruning.leaf_kernels:passes": "pruned, many values",
    "share.pruning.leaf_kernels:fill": "pruned, estimated",
    "share.pruning.leaf_kernels:fill_all": "pruned, estimated",
    "share.pruning.leaf_kernels:pass_each": "pruned, diverse",
    "share.pruning._merit_kernels:line_of": "pruned",
    "share.pruning._merit_kernels:weigh": "pruned, many values",
    "share.pruning._merit_kernels:may_do": "pruned, many values",
    "share.pruning.pruning_kernels:_conclude": "pruned",
    "share.pruning.pruning_kernels:propagate": "pruned",
    "share.pruning.pruning_kernels:_push": "pruned",
    "share.pruning.pruning_kernels:_pop": "pruned",
    "share.pruning.pruning_kernels:merge_children": "pruned",
    "share.pruning.pruning_kernels:prune": "pruned",
    "share.pruning.pruning_kernels:lay_out": "pruned",
    "share.pruning._search_kernels:slot_of": "pruned, many values",
    "share.pruning._search_kernels:_push": "pruned",
    "share.pruning._search_kernels:_pop": "pruned, many values",
    "share.pruning._search_kernels:_first_of_leaf": "pruned",
    "share.pruning._search_kernels:first_that_does": "pruned",
    "share.pruning._sibling_kernels:_forget": "pruned",
    "share.pruning._sibling_kernels:_take_in": "pruned",
    "share.pruning._sibling_kernels:_sum_up": "pruned, many values",
    "share.pruning._sibling_kernels:_halve": "pruned, many values",
    "share.pruning._sibling_kernels:_list": "pruned",
    "share.pruning._sibling_kernels:cut_up": "pruned",
    "share.pruning._sibling_kernels:_gather": "pruned, many values",
    "share.pruning._sibling_kernels:insert": "pruned",
    "share.pruning._sibling_kernels:remove": "pruned",
}

ANSWERS = "answers with a number, or yes or no; it writes nothing"
CLEARS = "makes or clears room to work in; all entries are the same"
MARKS = "marks what a search has still to look at, with one bit or one mark that is the same for all in small cases"
EXPLORES = "tells an owner what other settings would cost; nothing is released by it"
DRAWS = "draws pseudo-data out of a published tree; no row of it stands for a record"
OTHERS = {
    "publish.tables.averaging._centre_kernels:_best_cut": ANSWERS,
    "publish.transactions.moles._dense_judging_kernels:scratch_for": CLEARS,
    "publish.transactions.moles.mole_kernels:no_moles": CLEARS,
    "publish.transactions.moles._small_database_kernels:room": CLEARS,
    "publish.transactions.moles._sparse_kernels:_begin": CLEARS,
    "publish.transactions.suppression._exchange_kernels:_other_out": ANSWERS,
    "publish.tables.cells.grouping_kernels:runs": EXPLORES,
    "publish.tables.cells.grouping_kernels:suppression_cost": ANSWERS,
    "publish.tables.cells.grouping_kernels:costs_along": EXPLORES,
    "publish.tables.group_tests._row_kernels:judged_groups": MARKS,
    "publish.tables.group_tests.rule_kernels:group_ok": ANSWERS,
    "publish.tables.group_tests.rule_kernels:_others_known_ok": ANSWERS,
    "publish.tables.group_tests.rule_kernels:_rule_ok": ANSWERS,
    "publish.tables.group_tests.rule_kernels:most_allowed": ANSWERS,
    "publish.tables.group_tests.rule_kernels:_sum": ANSWERS,
    "publish.tables.group_tests.rule_kernels:_top_and_tail": ANSWERS,
    "publish.tables.group_tests.rule_kernels:_distinct_ok": ANSWERS,
    "publish.tables.group_tests.rule_kernels:_entropy_ok": ANSWERS,
    "publish.tables.group_tests.rule_kernels:_exponent": ANSWERS,
    "publish.tables.group_tests.rule_kernels:_balance": ANSWERS,
    "publish.tables.group_tests.rule_kernels:_same_powers": ANSWERS,
    "publish.tables.group_tests.rule_kernels:_equal_distance": ANSWERS,
    "publish.tables.group_tests.rule_kernels:_ordered_distance": ANSWERS,
    "publish.tables.group_tests.rule_kernels:_ratios_ok": ANSWERS,
    "publish.tables.group_tests.rule_kernels:_product_at_most": ANSWERS,
    "publish.tables.k_optimize._bound_kernels:cut_cost": ANSWERS,
    "publish.tables.k_optimize._part_kernels:most_kept": ANSWERS,
    "publish.tables.k_optimize._part_kernels:most_alike": ANSWERS,
    "publish.tables.k_optimize._part_kernels:part_bound": ANSWERS,
    "publish.tables.k_optimize._part_kernels:finest_cost": ANSWERS,
    "publish.tables.k_optimize._segment_kernels:found": ANSWERS,
    "publish.tables.mondrian._child_kernels:_lend": MARKS,
    "publish.tables.mondrian._child_kernels:forget": CLEARS,
    "publish.tables.mondrian._range_kernels:_cut_missing": MARKS,
    "publish.tables.mondrian._region_kernels:region_loss": ANSWERS,
    "publish.tables.mondrian._tally_kernels:clear": CLEARS,
    "publish.tables.mondrian._tally_kernels:forget_persons": CLEARS,
    "publish.tables.mondrian._tally_kernels:person_of": ANSWERS,
    "publish.tables.regrouping._pool_kernels:_cheapest_group": ANSWERS,
    "publish.tables.regrouping._pool_kernels:_had": ANSWERS,
    "publish.tables.regrouping._pool_kernels:_nearest_row": ANSWERS,
    "publish.tables.regrouping._pool_kernels:_nth_free": ANSWERS,
    "publish.tables.regrouping._pool_kernels:_passes": ANSWERS,
    "publish.tables.regrouping._pool_kernels:draw": ANSWERS,
    "publish.tables.regrouping._regrouping_kernels:_all_pass": ANSWERS,
    "publish.tables.regrouping._regrouping_kernels:_spare": ANSWERS,
    "publish.tables.regrouping._span_kernels:span_cost": ANSWERS,
    "publish.tables.regrouping._span_kernels:spans_cost": ANSWERS,
    "publish.tables.risk._unique_row_kernels:find_rows": EXPLORES,
    "publish.tables.series._joining_kernels:whole_loss": ANSWERS,
    "publish.tables.series._matching_kernels:_stood_before": ANSWERS,
    "publish.tables.series._matching_kernels:column_growth": ANSWERS,
    "publish.tables.series._matching_kernels:growth": ANSWERS,
    "publish.tables.series._matching_kernels:least_growth": ANSWERS,
    "publish.tables.series._matching_kernels:may_link": ANSWERS,
    "publish.transactions.families._diagram_count_kernels:log2_size": ANSWERS,
    "publish.transactions.families._diagram_kernels:_slot": ANSWERS,
    "publish.transactions.families._diagram_kernels:_known": ANSWERS,
    "publish.transactions.families._diagram_kernels:_below": MARKS,
    "publish.transactions.families._diagram_kernels:minimal": MARKS,
    "publish.transactions.moles._dense_judging_kernels:count_private": MARKS,
    "publish.transactions.moles._dense_judging_kernels:find_candidates": MARKS,
    "publish.transactions.moles._dense_judging_kernels:drop_safe": MARKS,
    "publish.transactions.moles._dense_judging_kernels:sort_by_breach": MARKS,
    "publish.transactions.moles._dense_kernels:_child": ANSWERS,
    "publish.transactions.moles._dense_kernels:_and_into": ANSWERS,
    "publish.transactions.moles._dense_kernels:_measure_losses": MARKS,
    "publish.transactions.moles._dense_kernels:_begin": CLEARS,
    "publish.transactions.moles.mole_kernels:larger": CLEARS,
    "publish.transactions.moles.mole_kernels:subset_moles": MARKS,
    "publish.transactions.moles.mole_kernels:_is_mole": ANSWERS,
    "publish.transactions.moles._row_count_kernels:most_private": ANSWERS,
    "publish.transactions.moles._small_database_kernels:set_first": CLEARS,
    "publish.transactions.moles._small_database_kernels:active_private": MARKS,
    "publish.transactions.moles._sparse_kernels:_child": ANSWERS,
    "publish.transactions.families._visit_kernels:hash_breaches": MARKS,
    "publish.transactions.families._visit_kernels:_breaches": ANSWERS,
    "publish.transactions.moles._worst_kernels:_surer": ANSWERS,
    "publish.transactions.suppression.greedy_kernels:needless": MARKS,
    "publish.transactions.suppression.greedy_kernels:breaches": ANSWERS,
    "publish.transactions.suppression._optimal_kernels:_next_item": ANSWERS,
    "publish.transactions.suppression._record_kernels:_within": ANSWERS,
    "publish.transactions.suppression._record_kernels:_fits": ANSWERS,
    "share.anonymization._growth_kernels:mass": ANSWERS,
    "share.pruning.leaf_kernels:less": ANSWERS,
    "share.pruning.leaf_kernels:estimate": ANSWERS,
    "share.pruning._merit_kernels:merits": ANSWERS,
    "share.pruning._merit_kernels:weight_of": ANSWERS,
    "share.pruning.pruning_kernels:_worse": ANSWERS,
    "share.pruning._sibling_kernels:parts_for": ANSWERS,
    "share.pruning._sibling_kernels:before": ANSWERS,
    "share.pruning._sibling_kernels:likeness": ANSWERS,
    "share.pruning._sibling_kernels:_below": ANSWERS,
    "share.pruning._sibling_kernels:_widest": ANSWERS,
    "share.generation._generation_kernels:_word": DRAWS,
    "share.generation._generation_kernels:shuffle": DRAWS,
    "share.generation._generation_kernels:pick_codes": DRAWS,
    "share.generation._generation_kernels:pick_numbers": DRAWS,
    "share.generation._generation_kernels:pick_weighted": DRAWS,
}


def test_no_kernel_is_forgotten():
    named = {name.removeprefix("confide.") for name in KERNELS}
    assert named == {*FAULTS, *OTHERS}
    assert not {*FAULTS} & {*OTHERS}


def released_right(kernel, case, *, seed, after, returned=False):
    """Whether what is released after the fault is right; None if nothing is released. And whether it was exchanged."""
    fault = Fault(f"confide.{kernel}", seed, after, returned=returned)
    try:
        with as_python(KERNELS, fault.wrap):
            return until_it_ends(CASES[case]), fault.done
    except Exception:  # whatever stops it: nothing is released
        return None, fault.done


@pytest.mark.parametrize("case", CASES)
def test_without_a_fault_all_of_it_is_released(case):
    with as_python(KERNELS, lambda _, plain: plain):
        assert CASES[case]()


@pytest.mark.parametrize("kernel", FAULTS)
def test_a_fault_in_a_kernel_releases_nothing_that_is_wrong(kernel):
    exchanged = 0
    for seed, after in some([(0, 0), (1, 0), (2, 1), (3, 2)], every=4):
        right, done = released_right(kernel, FAULTS[kernel], seed=seed, after=after)
        assert right is not False
        exchanged += done
    assert exchanged


WRITES_CELLS = {
    "publish.tables.mondrian._partition_kernels:partition": ("mondrian", True),
    "publish.tables.one_dimensional._group_kernels:smallest_nodes": ("one-dimensional", True),
    "share.pruning.pruning_kernels:propagate": ("pruned", False),
    "share.anonymization._growth_kernels:grow_diverse": ("grown", True),
}


@pytest.mark.parametrize("kernel", WRITES_CELLS)
def test_a_fault_in_cells_or_counts_is_refused(kernel):
    case, returned = WRITES_CELLS[kernel]
    tried = [released_right(kernel, case, seed=seed, after=0, returned=returned) for seed in range(8)]
    outcomes = [right for right, _ in tried]
    assert None in outcomes
    assert False not in outcomes
