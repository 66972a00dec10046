"""Tables 3.2 to 3.7: what the benchmark prints about lengths that only some draws have."""

import json
from math import inf, nan

from benchmarks.collect import tables

from confide.mining.rules.comparison import Comparison, LevelErrors


def errors(level, true, found, plus=0.0, rho=nan):
    missed = 100 * (true - found) / true if true else nan
    return LevelErrors(
        level=level, true=true, reported=found, found=found, sigma_plus=plus, sigma_minus=missed, rho=rho
    )


def draw(*levels):
    return Comparison(levels=levels, overall=errors(None, 1, 1, rho=1.0))


def level(number, *draws):
    return tables._level(number, tables.Printed(2, 0, 0, 16.53), [draw(*levels) for levels in draws])


def test_a_length_is_averaged_over_the_draws_that_have_it():
    ours, inside = level(
        8,
        [errors(1, 10, 10, rho=1.0)],
        [errors(8, 4, 2, rho=10.0)],
        [errors(8, 2, 0)],
        [errors(8, 0, 0, plus=inf)],
        [errors(8, 6, 6, rho=20.0)],
    )
    assert ours["frequent"] == 4
    assert ours["frequent, median and range"] == [4, 2, 6]
    assert ours["draws"] == {"sigma": 3, "rho": 2}
    assert ours["sigma_minus"] == [50.0, 50.0]
    assert ours["rho"] == [15.0, 7.07]
    assert inside == {"sigma_plus": True, "sigma_minus": True, "rho": True}


def test_a_length_of_one_draw_or_none_is_left_out_of_the_comparison():
    for draws in ([[errors(8, 4, 2, rho=10.0)]], [[errors(1, 10, 10, rho=1.0)]]):
        ours, inside = level(8, *draws)
        assert inside == {}
        assert ours["sigma_plus"] is ours["rho"] is None
        json.dumps(ours, allow_nan=False)
