"""The configuration files of a trial: one site for each table of a chain, and the coordinator."""

import csv
import io

from confide.core.samples.chain import ChainTables

__all__ = ["chain_files"]


def chain_files(
    chain: ChainTables, *, depth: int = 4, port: int = 7001, records: int = 50, held_out: bool = False
) -> dict[str, str]:
    """{file name: text}: T1.toml and so on, join.toml, and ids.csv with some joined records by row number.

    With `held_out`, sites also name a table T1-held-out.csv and so on. Sites listen on the loopback from `port` on;
    certificates are looked for in the folder `keys`.
    """
    names = list(chain.tables)
    address = {name: f"127.0.0.1:{port + place}" for place, name in enumerate(names)}
    on: dict[str, dict[str, str]] = {name: {} for name in names}
    for left, right in chain.joins:
        a, column_a = left.split(".")
        b, column_b = right.split(".")
        on[a][b], on[b][a] = column_a, column_b
    target, class_column = chain.target.split(".")
    files = {}
    for name, table in chain.tables.items():
        numbers = [field.name for field in table.schema if str(field.type) == "int64"]
        lines = [
            f'name = "{name}"',
            f'listen = "{address[name]}"',
            'coordinator = "registry"',
            f'state = "{name}-state"',
            "",
            "[table]",
            f'file = "{name}.csv"',
            "types = { " + ", ".join(f'{column} = "integer"' for column in numbers) + " }",
            *([f'class = "{class_column}"'] if name == target else []),
        ]
        if held_out:
            lines += ["", "[held_out]", f'file = "{name}-held-out.csv"']
        for other, column in on[name].items():
            lines += ["", f"[neighbours.{other}]", f'address = "{address[other]}"', f'on = ["{column}"]']
        lines += ["", "[policy]", "min_records = 1", 'intersections = "values"']
        if name == target:
            lines += [
                "# All records of a join value have one class in this invented data: neighbours can tell all classes.",
                "certain_classes = 1.0",
            ]
        lines += _tls(name)
        files[f"{name}.toml"] = "\n".join(lines) + "\n"
    edges = ", ".join(f'["{a.split(".")[0]}", "{b.split(".")[0]}"]' for a, b in chain.joins)
    lines = ['name = "registry"', f'target = "{target}"', f"edges = [{edges}]", 'state = "registry-state"']
    for name in names:
        lines += ["", f"[sites.{name}]", f'address = "{address[name]}"', f'config = "{name}.toml"']
    lines += ["", "[tree]", f"max_depth = {depth}", *_tls("registry")]
    files["join.toml"] = "\n".join(lines) + "\n"
    files["ids.csv"] = _joined(chain, records)
    return files


def _tls(name: str) -> list[str]:
    return [
        "",
        "[tls]",
        'ca = "keys/ca.pem"',
        f'certificate = "keys/{name}.pem"',
        f'key = "keys/{name}.key"',
    ]


def _joined(chain: ChainTables, records: int) -> str:
    """Row numbers of the first joined records: every record of T1 with one partner in each further table."""
    first: dict[str, dict[object, int]] = {}
    for left, right in chain.joins:
        table, column = right.split(".")
        first[left] = {}
        for row, value in enumerate(chain.tables[table].column(column).to_pylist()):
            first[left].setdefault(value, row)
    names = list(chain.tables)
    values = {left: chain.tables[left.split(".")[0]].column(left.split(".")[1]).to_pylist() for left, _ in chain.joins}
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow(names)
    for start in range(min(records, chain.tables[names[0]].num_rows)):
        rows = [start]
        for left, _ in chain.joins:
            rows.append(first[left][values[left][rows[-1]]])
        writer.writerow(rows)
    return lines.getvalue()
