"""Three judges of 200 random small tables: our auditor, a brute-force twin of it, and pycanon.

`CONFIDE_PYCANON=/path/to/python python -m benchmarks publish.judges`. pycanon pins other versions of NumPy and pandas
than ours, so it runs in an environment of its own (`python -m venv canon; canon/bin/pip install pycanon`); the variable
names its interpreter. Each line tells, for one measure, on how many tables all three agree, and of the others why they
differ. A difference that no reason covers raises. Reasons, by reading pycanon 1.3:

- entropy l is truncated to a whole number, and a whole number may fall to the one below by rounding;
- recursive (c, l) sorts counts ascending, so that c is measured against the wrong ends;
- enhanced beta is a number also where no beta holds;
- the distance of t follows the type of the column: equal for text, ordered for numbers; of one value it is 0/0.
"""

import json
import math
import os
import pathlib
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
from tests.oracles import tables as oracles

from confide.audit import measure_table

TABLES = 200
ROLES = {"q": "quasi-identifier", "r": "quasi-identifier", "s": "sensitive"}

PYCANON = """
import json, sys, warnings
import pandas as pd
from pycanon import anonymity as a
warnings.filterwarnings("ignore")
answers = []
for columns in json.load(sys.stdin):
    frame, quasi, sensitive = pd.DataFrame(columns), ["q", "r"], ["s"]
    c, l = a.recursive_c_l_diversity(frame, quasi, sensitive)
    try:
        t = float(a.t_closeness(frame, quasi, sensitive))
    except ZeroDivisionError:
        t = float("nan")
    answers.append({
        "k": int(a.k_anonymity(frame, quasi)),
        "alpha": float(a.alpha_k_anonymity(frame, quasi, sensitive)[0]),
        "distinct l": int(a.l_diversity(frame, quasi, sensitive)),
        "entropy l": float(a.entropy_l_diversity(frame, quasi, sensitive)),
        "recursive c": float(c),
        "recursive l": int(l),
        "t": t,
        "beta": float(a.basic_beta_likeness(frame, quasi, sensitive)),
        "enhanced beta": float(a.enhanced_beta_likeness(frame, quasi, sensitive)),
        "delta": float(a.delta_disclosure(frame, quasi, sensitive)),
    })
json.dump(answers, sys.stdout)
"""


def run(data: pathlib.Path) -> Iterator[dict[str, Any]]:
    """Yield one record for each measure."""
    columns = [_table(seed) for seed in range(TABLES)]
    theirs = _pycanon(columns)
    reasons: dict[str, Counter[str]] = {name: Counter() for name in theirs[0] if name != "recursive l"}
    for number, (one, answer) in enumerate(zip(columns, theirs, strict=True)):
        ours = _ours(one)
        _ask_the_twin(one, ours)
        for name, tally in reasons.items():
            reason = _reason(name, ours, answer, one)
            if reason is None:
                raise AssertionError(f"table {number}: {name} is {ours[name]} here, {answer[name]} there, unexplained")
            tally[reason] += 1
    for name, tally in reasons.items():
        agreed = tally.pop("agree", 0)
        yield {
            "claim": f"{name} of {TABLES} random tables: auditor, twin and pycanon agree, or it is known why not",
            "ours": agreed,
            "rival": {"name": "pycanon", "tables": TABLES},
            "ratio": round(agreed / TABLES, 3),
            "settings": {"differences": dict(tally)},
        }


def _table(seed: int) -> dict[str, list[Any]]:
    rng = np.random.default_rng(seed)
    rows, values = int(rng.integers(2, 60)), int(rng.integers(1, 7))
    sensitive = rng.integers(0, values, rows)
    return {
        "q": rng.integers(0, 2, rows).tolist(),
        "r": [f"r{n}" for n in rng.integers(0, 3, rows)],
        "s": sensitive.tolist() if seed % 2 else [f"v{n}" for n in sensitive],
    }


def _pycanon(columns: list[dict[str, list[Any]]]) -> list[dict[str, Any]]:
    python = os.environ.get("CONFIDE_PYCANON", sys.executable)
    done = subprocess.run(
        [python, "-c", PYCANON], input=json.dumps(columns), capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit("pycanon does not run; install it by itself and name its python in CONFIDE_PYCANON")
    return json.loads(done.stdout)  # type: ignore[no-any-return]


def _ours(columns: dict[str, list[Any]]) -> dict[str, Any]:
    found = measure_table(pa.table(columns), roles=ROLES)
    column = found.sensitive["s"]
    number = isinstance(columns["s"][0], int)
    return {
        "k": found.k,
        "alpha": column.alpha,
        "distinct l": column.distinct_l,
        "entropy l": column.entropy_l,
        "recursive c": column.recursive_c,
        "t": column.t_ordered if number else column.t,
        "beta": column.beta,
        "enhanced beta": column.enhanced_beta,
        "delta": column.delta,
    }


def _ask_the_twin(columns: dict[str, list[Any]], ours: dict[str, Any]) -> None:
    """What we say holds must hold by brute force, and nothing stronger."""
    groups = oracles.members(columns, ["q", "r"], "s")
    ordered = isinstance(columns["s"][0], int)
    step = 2e-6
    for kind, given, stronger in (
        ("k-anonymity", {"k": ours["k"]}, {"k": ours["k"] + 1}),
        ("distinct-diversity", {"l": ours["distinct l"]}, {"l": ours["distinct l"] + 1}),
        ("entropy-diversity", {"l": ours["entropy l"]}, {"l": ours["entropy l"] + step}),
        ("t-closeness", {"t": ours["t"], "ordered": ordered}, {"t": ours["t"] - step, "ordered": ordered}),
        ("beta-likeness", {"beta": ours["beta"], "enhanced": False}, {"beta": ours["beta"] - step, "enhanced": False}),
        ("delta-disclosure", {"delta": ours["delta"]}, {"delta": ours["delta"] - step}),
        ("alpha-k-anonymity", {"k": 1, "alpha": ours["alpha"]}, {"k": 1, "alpha": ours["alpha"] - step}),
    ):
        assert oracles.holds(groups, kind, **given), (kind, given)
        assert not oracles.holds(groups, kind, **stronger), (kind, stronger)
    for l, c in ours["recursive c"].items():  # noqa: E741
        assert (c is None) == (not oracles.holds(groups, "recursive-diversity", c=1e9, l=l))
        assert c is None or oracles.holds(groups, "recursive-diversity", c=c, l=l)
    enhanced = oracles.holds(groups, "beta-likeness", beta=1e9, enhanced=True)
    assert enhanced == (ours["enhanced beta"] is not None)


def _reason(name: str, ours: dict[str, Any], theirs: dict[str, Any], columns: dict[str, list[Any]]) -> str | None:
    """ "agree", why they differ, or None."""
    mine, other = ours[name], theirs[name]
    if name == "entropy l":
        if other in (math.floor(mine), mine):
            return "agree" if mine == other else "truncated to a whole number"
        whole = round(mine)
        return "a whole number lost to rounding" if abs(mine - whole) < 1e-5 and other == whole - 1 else None
    if name == "recursive c":
        return _recursive(columns, theirs)
    if name == "enhanced beta" and mine is None:
        return "a number where no beta holds" if math.isfinite(other) else None
    if name == "t" and math.isnan(other):
        return "one value only: 0/0" if len(set(columns["s"])) == 1 else None
    return "agree" if abs(mine - other) < 3e-6 else None


def _recursive(columns: dict[str, list[Any]], theirs: dict[str, Any]) -> str | None:
    groups = oracles.members(columns, ["q", "r"], "s")
    l, c = theirs["recursive l"], theirs["recursive c"]  # noqa: E741
    if l < 2:
        return "agree" if math.isnan(c) else None
    rising = [sorted(counts.values()) for _, counts in groups]
    if c != max(math.floor(f[0] / sum(f[l - 1 :]) + 1) for f in rising):
        return None
    falling = [f[::-1] for f in rising]
    right = max(math.floor(f[0] / sum(f[l - 1 :]) + 1) for f in falling)
    if c == right:
        return "agree"
    return "sorted ascending: accepts what is false" if c < right else None
