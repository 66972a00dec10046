"""Documents of 50 terms for the benchmarks: the generator `topics`, named and seeded.

A vocabulary of 20,000 words used by Zipf's law; 200 topics, the k-th chosen in proportion to k^-0.7, each with 400
words of its own, used by Zipf's law as well. A document has a topic; each of its 50 words is drawn from the topic with
chance 1/2, else from the whole vocabulary. A word drawn twice counts once: 41 different ones on average.
"""

import numpy as np

__all__ = ["topics"]

WORDS, TOPICS, OWN, LENGTH = 20_000, 200, 400, 50


def _zipf(n: int, power: float = 1.0) -> np.ndarray:
    odds = 1 / np.arange(1, n + 1) ** power
    return odds / odds.sum()


def topics(documents: int, *, seed: int = 1) -> list[list[str]]:
    """So many documents, each a list of 50 words."""
    generator = np.random.default_rng(seed)
    common = generator.choice(WORDS, size=(documents, LENGTH), p=_zipf(WORDS))
    own = np.array([generator.permutation(WORDS)[:OWN] for _ in range(TOPICS)])
    topic = generator.choice(TOPICS, size=documents, p=_zipf(TOPICS, 0.7))
    special = own[topic[:, None], generator.choice(OWN, size=(documents, LENGTH), p=_zipf(OWN))]
    chosen = np.where(generator.random((documents, LENGTH)) < 0.5, special, common)
    names = np.array([f"word{i}" for i in range(WORDS)], dtype=object)
    return [names[row].tolist() for row in chosen]
