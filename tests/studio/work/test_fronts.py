import random

from confide.studio.work.fronts import best_points, nearest_that_holds, read_points


def random_rows(seed):
    draw = random.Random(seed)
    return [
        {
            "k": draw.choice([2, 3, 5, 10]),
            "l": draw.choice([2, 3]),
            "method": draw.choice("ab"),
            "detail lost": None if draw.random() < 0.3 else draw.choice([0.1, 0.2, 0.3, 0.4]),
            "refused": "too hard",
        }
        for _ in range(draw.randint(0, 12))
    ]


def test_the_front_is_what_comparing_every_pair_leaves():
    for seed in range(300):
        points = [point for point in read_points(random_rows(seed), ["k", "l"]) if point.loss is not None]
        beaten = {
            one.number
            for one in points
            for other in points
            if other.asked["k"] >= one.asked["k"] and other.asked["l"] >= one.asked["l"] and other.loss <= one.loss
            if other.asked != one.asked or other.loss < one.loss or other.number < one.number
        }
        assert {point.number for point in best_points(points)} == {p.number for p in points} - beaten


def test_what_is_refused_has_no_loss_and_names_the_nearest_that_holds():
    rows = [
        {"k": 2, "method": "a", "detail lost": 0.1},
        {"k": 5, "method": "b", "detail lost": 0.3},
        {"k": 5, "method": "a", "detail lost": 0.5},
        {"k": 10, "method": "a", "detail lost": None, "holds": False, "refused": "k=10 cannot be met"},
    ]
    points = read_points(rows, ["k"])
    assert [point.loss for point in points] == [0.1, 0.3, 0.5, None]
    assert points[3].refused == "k=10 cannot be met"
    assert nearest_that_holds(points, points[3]).number == 2
    assert nearest_that_holds(points[3:], points[3]) is None


def test_risk_is_the_chance_of_being_found():
    rows = [{"k": 5, "l": 2, "detail lost": 0.1}, {"k": 4, "h": 0.6, "share_of_occurrences_lost": 0.1}, {"t": 0.2}]
    assert [point.risk for point in read_points(rows, ["k", "l", "h", "t"])] == [0.2, 0.25, 1.0]
