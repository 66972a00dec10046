"""Slow twin of association rules: every split of every itemset."""

from itertools import combinations


def association_rules(
    supports: dict[frozenset[str], int], n: int, min_confidence: float
) -> dict[tuple[frozenset[str], frozenset[str]], tuple[int, float, float, float, float]]:
    """(antecedent, consequent) -> (support, confidence, lift, leverage, conviction)."""
    rules = {}
    for whole, both in supports.items():
        for size in range(1, len(whole)):
            for chosen in combinations(sorted(whole), size):
                antecedent = frozenset(chosen)
                consequent = whole - antecedent
                a, c = supports[antecedent], supports[consequent]
                confidence = both / a
                if confidence >= min_confidence:
                    conviction = float("inf") if both == a else (1 - c / n) / (1 - confidence)
                    rules[antecedent, consequent] = (
                        both,
                        confidence,
                        both * n / (a * c),
                        both / n - a * c / n**2,
                        conviction,
                    )
    return rules
