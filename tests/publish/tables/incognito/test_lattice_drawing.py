from xml.etree import ElementTree

import pyarrow as pa
import pytest
from tests.publish.tables.random_tables import random_table

from confide.core.errors import UsageError
from confide.core.requirements import KAnonymity
from confide.publish.tables.incognito.incognito import Incognito
from confide.publish.tables.incognito.lattice_drawing import best_node

SVG = "{http://www.w3.org/2000/svg}"


def explored(columns=2, seed=3):
    frame, schema = random_table(seed, rows=40, columns=columns)
    return Incognito(requirement=KAnonymity(k=3), suppress=0.1).explore(frame, schema), frame, schema


def test_a_drawing_has_a_box_for_each_node_and_a_line_for_each_pair_of_neighbours():
    lattice, frame, schema = explored()
    drawn = ElementTree.fromstring(lattice.to_svg())
    a, b = lattice.safe.shape
    assert len(drawn.findall(f"{SVG}g")) == a * b
    assert len(drawn.findall(f"{SVG}line")) == (a - 1) * b + a * (b - 1)
    fills = [box.find(f"{SVG}rect").get("fill") for box in drawn.findall(f"{SVG}g")]
    assert fills.count("#8fc1ec") == 1
    assert fills.count("#dcebf9") == int(lattice.safe.sum()) - 1
    edges = [box.find(f"{SVG}rect").get("stroke-width") for box in drawn.findall(f"{SVG}g")]
    assert edges.count("2.5") == int(lattice.minimal.sum())
    levels = Incognito(requirement=KAnonymity(k=3), suppress=0.1).publish(frame, schema).passport.parameters["levels"]
    best = best_node(lattice)
    assert list(levels.values()) == [low + above for low, above in zip(lattice.lowest, best, strict=True)]


def test_names_of_columns_are_made_harmless():
    frame = pa.table({'<b>"&': ["a", "a", "b", "b"]})
    schema = {'<b>"&': {"role": "quasi-identifier"}}
    lattice = Incognito(requirement=KAnonymity(k=2)).explore(frame, schema)
    drawn = ElementTree.fromstring(lattice.to_svg())
    assert drawn.find(f"{SVG}g/{SVG}title").text.startswith('<b>"& 0: loss')


def test_a_large_lattice_is_told_not_drawn():
    lattice, _, _ = explored(columns=7, seed=11)
    assert len(lattice) > 300
    assert "<svg" not in lattice._repr_html_()
    assert f"{len(lattice):,} generalisations" in lattice._repr_html_()
    with pytest.raises(UsageError, match=r"too many to draw \(up to 300\); use to_arrow"):
        lattice.to_svg()
    small, _, _ = explored()
    assert "<svg" in small._repr_html_()
