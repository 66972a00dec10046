"""Baskets of a shop with a pharmacy counter, some items of which nobody would want to be known for.

Private items carry the prefix "s:"; each goes along with ordinary things (insulin with sugar-free jam and
plasters), so whoever knows the ordinary ones can guess the private one. That is the danger `publish` is there
to remove.

A customer comes for the weekly shop or for a few things, and may have occasions (a baby, a barbecue, a cold).
An item's chance is its everyday popularity, which falls off like 1 / rank, or the chance its occasion gives
it, whichever is larger.
"""

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import RequirementError
from confide.core.samples._draws import Draws
from confide.core.tables.taxonomy import Taxonomy
from confide.core.transactions.container import Transactions

__all__ = ["baskets", "departments"]

# In order of everyday popularity.
_POPULAR = """
    milk bread bananas eggs butter tomatoes apples cheese potatoes yoghurt onions coffee chicken pasta
    carrots water orange-juice rice cucumber ham lettuce sugar toilet-paper cereal peppers minced-beef tea
    cream chocolate crisps mushrooms flour garlic olive-oil biscuits grapes oranges bacon jam
    tinned-tomatoes washing-up-liquid broccoli cola sausages beer lemons wine frozen-peas salmon honey
    kitchen-roll ice-cream toothpaste shampoo soup washing-powder tuna strawberries ketchup mayonnaise
    vinegar pizza cat-food oats dog-food nuts spinach soap beans salt pepper mustard courgettes avocado tofu
    soya-milk crackers bin-bags batteries light-bulbs candles napkins
"""
_EVERYDAY = _POPULAR.split()

# What brings a customer in, how often, and what then goes into the basket with which chance.
_OCCASIONS: dict[str, tuple[float, dict[str, float]]] = {
    "breakfast": (
        0.22,
        {"bread": 0.7, "butter": 0.5, "jam": 0.35, "coffee": 0.4, "eggs": 0.5, "orange-juice": 0.35},
    ),
    "pasta night": (
        0.16,
        {"pasta": 0.8, "tinned-tomatoes": 0.6, "cheese": 0.55, "garlic": 0.4, "minced-beef": 0.4},
    ),
    "salad": (0.14, {"lettuce": 0.7, "tomatoes": 0.7, "cucumber": 0.6, "olive-oil": 0.2, "avocado": 0.2}),
    "baking": (0.09, {"flour": 0.8, "sugar": 0.6, "eggs": 0.6, "butter": 0.6, "vanilla": 0.3, "yeast": 0.3}),
    "barbecue": (0.07, {"sausages": 0.8, "beer": 0.6, "charcoal": 0.5, "ketchup": 0.4, "crisps": 0.4}),
    "party": (0.06, {"beer": 0.6, "wine": 0.5, "crisps": 0.7, "nuts": 0.5, "cola": 0.5, "napkins": 0.3}),
    "cleaning": (
        0.08,
        {"bin-bags": 0.5, "kitchen-roll": 0.5, "washing-up-liquid": 0.5, "bleach": 0.4, "sponges": 0.4},
    ),
    "vegan": (0.05, {"tofu": 0.7, "soya-milk": 0.7, "beans": 0.5, "spinach": 0.4, "oats": 0.4}),
    "baby": (0.05, {"nappies": 0.85, "baby-food": 0.6, "wet-wipes": 0.6, "baby-lotion": 0.25}),
    "cat": (0.06, {"cat-food": 0.9, "cat-litter": 0.5}),
    "dog": (0.05, {"dog-food": 0.9, "dog-treats": 0.4}),
    "cold": (0.05, {"tissues": 0.7, "throat-sweets": 0.55, "lemons": 0.4, "honey": 0.4, "paracetamol": 0.5}),
    "first aid": (0.02, {"plasters": 0.7, "disinfectant": 0.5, "bandage": 0.4}),
    "shaving": (0.03, {"razor-blades": 0.8, "shaving-foam": 0.5}),
    "diabetes": (
        0.025,
        {"s:insulin": 0.65, "sugar-free-jam": 0.55, "plasters": 0.35, "diet-cola": 0.45, "oats": 0.3},
    ),
    "pregnancy": (0.015, {"s:pregnancy-test": 0.6, "folic-acid": 0.5, "crackers": 0.3, "ginger-tea": 0.3}),
    "low mood": (0.025, {"s:antidepressant": 0.65, "chocolate": 0.45, "herbal-tea": 0.35, "ice-cream": 0.3}),
    "sleepless": (0.02, {"s:sleeping-pills": 0.6, "herbal-tea": 0.45, "ear-plugs": 0.3, "milk": 0.6}),
    "night out": (0.03, {"s:condoms": 0.65, "wine": 0.45, "chewing-gum": 0.4, "candles": 0.2}),
    "quitting smoking": (0.015, {"s:nicotine-patches": 0.75, "chewing-gum": 0.6, "nuts": 0.25}),
    "heart": (0.03, {"s:blood-pressure-pills": 0.7, "low-salt-crackers": 0.4, "oats": 0.35, "salmon": 0.3}),
    "virus": (0.006, {"s:antiretroviral": 0.8, "multivitamins": 0.5}),
    "hair loss": (0.008, {"s:hair-regrowth": 0.7, "shampoo": 0.6}),
    "bladder": (0.012, {"s:incontinence-pads": 0.75, "cranberry-juice": 0.5, "soap": 0.4}),
    "itch": (0.008, {"s:thrush-cream": 0.75, "cranberry-juice": 0.2, "yoghurt": 0.5}),
}
# The shelves of the shop, by department; whoever reads "dairy" knows the department, if not the product.
_SHELVES: dict[str, dict[str, str]] = {
    "food": {
        "dairy": "milk eggs butter cheese yoghurt cream",
        "bakery": "bread biscuits crackers cereal oats low-salt-crackers",
        "fruit": "bananas apples oranges grapes lemons strawberries",
        "vegetables": """tomatoes potatoes onions carrots cucumber lettuce peppers mushrooms garlic broccoli courgettes
            avocado spinach""",
        "meat-and-fish": "chicken ham minced-beef bacon sausages salmon tuna",
        "vegan": "tofu soya-milk beans",
        "tinned-and-frozen": "tinned-tomatoes frozen-peas soup pizza ice-cream",
        "dry-goods": "pasta rice flour sugar yeast vanilla",
        "sauces-and-spices": "olive-oil ketchup mayonnaise vinegar mustard salt pepper",
        "sweets-and-snacks": "chocolate crisps nuts chewing-gum honey jam sugar-free-jam",
    },
    "drinks": {
        "hot-drinks": "coffee tea herbal-tea ginger-tea",
        "soft-drinks": "orange-juice water cola diet-cola cranberry-juice",
        "alcohol": "beer wine",
    },
    "household": {
        "cleaning": "washing-up-liquid washing-powder bleach sponges bin-bags",
        "paper": "toilet-paper kitchen-roll napkins tissues",
        "hardware": "batteries light-bulbs candles charcoal",
        "pets": "cat-food cat-litter dog-food dog-treats",
    },
    "care": {
        "bathroom": "toothpaste shampoo soap razor-blades shaving-foam",
        "baby": "nappies baby-food wet-wipes baby-lotion",
        "chemist": """throat-sweets paracetamol plasters disinfectant bandage folic-acid ear-plugs multivitamins""",
    },
}
# Things asked for now and then without any occasion.
_STRAY = 0.002
_WEEKLY_SHOP = 0.3  # of the customers; they buy everyday things four times as readily
_CHUNK = 1 << 14


def baskets(records: int = 2000, *, seed: int = 1) -> Transactions:
    """Generate `records` baskets of named things, an eighth of them with a private item ("s:...").

    About 7 items each, 122 different ones, 11 of them private, and every private item in fewer than 3 % of
    the baskets. `seed`: the same seed gives the same baskets on any machine. A hundred thousand take a
    second.

    >>> shop = baskets(2000, seed=1)
    >>> sorted(label for label in shop.items if label.startswith("s:"))[:3]
    ['s:antidepressant', 's:antiretroviral', 's:blood-pressure-pills']
    """
    if not 1 <= records <= 100_000_000:
        raise RequirementError(f"records={records} is outside 1 to 100,000,000", parameter="records", value=records)
    labels, everyday, frequency, lift = _shop()
    draws = Draws(seed, "baskets")
    lengths, codes = [], []
    for start in range(0, records, _CHUNK):
        bought = _buy(draws, min(_CHUNK, records - start), everyday, frequency, lift)
        bought[~bought.any(axis=1), labels.index("bread")] = True  # nobody queues with nothing
        lengths.append(bought.sum(axis=1))
        codes.append(np.nonzero(bought)[1].astype(np.int32))
    indptr = np.concatenate([[0], np.cumsum(np.concatenate(lengths))]).astype(np.int64)
    return Transactions.from_arrays(indptr, np.concatenate(codes), labels).without_unused()


def departments() -> Taxonomy:
    """The shelf and the department of each item of `baskets` that is not private, for broader names.

    >>> departments().path("nappies")
    ('nappies', 'baby', 'care', 'products')
    """
    return Taxonomy.from_rows(
        (item, shelf, department, "products")
        for department, shelves in _SHELVES.items()
        for shelf, items in shelves.items()
        for item in items.split()
    )


def _shop() -> tuple[list[str], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Labels, everyday chance of each item, frequency of each occasion, and the chance it gives each item."""
    occasional = {item for _, wanted in _OCCASIONS.values() for item in wanted} - set(_EVERYDAY)
    labels = [*_EVERYDAY, *sorted(occasional)]
    everyday = np.full(len(labels), _STRAY)
    everyday[: len(_EVERYDAY)] = 0.5 / np.arange(2, len(_EVERYDAY) + 2)
    everyday[[label.startswith("s:") for label in labels]] = _STRAY / 4
    frequency = np.array([often for often, _ in _OCCASIONS.values()])
    lift = np.zeros((len(_OCCASIONS), len(labels)))
    for row, (_, wanted) in zip(lift, _OCCASIONS.values(), strict=True):
        for item, chance in wanted.items():
            row[labels.index(item)] = chance
    return labels, everyday, frequency, lift


def _buy(
    draws: Draws,
    n: int,
    everyday: NDArray[np.float64],
    frequency: NDArray[np.float64],
    lift: NDArray[np.float64],
) -> NDArray[np.bool_]:
    """For `n` customers, which items each of them buys."""
    # One row of draws for each customer, so that the first customers are the same however many follow.
    marks = draws.uniforms(n * (1 + len(frequency) + len(everyday))).reshape(n, -1)
    weekly = marks[:, :1] < _WEEKLY_SHOP
    occasions = marks[:, 1 : 1 + len(frequency)] < frequency
    chance = np.where(weekly & (everyday > _STRAY), np.minimum(4 * everyday, 0.9), everyday)
    for occasion, wanted in enumerate(lift):
        items = np.flatnonzero(wanted)
        where = np.ix_(np.flatnonzero(occasions[:, occasion]), items)
        chance[where] = np.maximum(chance[where], wanted[items])
    return marks[:, 1 + len(frequency) :] < chance
