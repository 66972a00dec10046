"""What the invented population of `people` is like: its categories, and how they hang together.

Weights, not probabilities: a row need not sum to anything. A tilt multiplies the weights of a row.
"""

SEX = ("female", "male")
YOUNGEST, OLDEST = 18, 94

EDUCATION = {
    "primary": "school",
    "lower secondary": "school",
    "upper secondary": "school",
    "apprenticeship": "vocational",
    "technical college": "vocational",
    "bachelor": "university",
    "master": "university",
    "doctorate": "university",
}
# Rows: how wealthy the district is (0 poor to 3 rich); columns: education as listed above.
EDUCATION_BY_WEALTH = (
    (16, 24, 22, 18, 9, 7, 3, 1),
    (8, 17, 23, 22, 13, 11, 5, 1),
    (4, 10, 20, 18, 15, 19, 12, 2),
    (2, 5, 15, 10, 11, 28, 24, 5),
)

SECTOR = {
    "cleaner": ("services", "manual"),
    "cook": ("services", "manual"),
    "shop assistant": ("services", "manual"),
    "driver": ("transport", "manual"),
    "warehouse worker": ("transport", "manual"),
    "builder": ("trades", "manual"),
    "electrician": ("trades", "manual"),
    "mechanic": ("trades", "manual"),
    "carer": ("health", "professional"),
    "nurse": ("health", "professional"),
    "doctor": ("health", "professional"),
    "teacher": ("education", "professional"),
    "researcher": ("education", "professional"),
    "clerk": ("office", "professional"),
    "accountant": ("office", "professional"),
    "engineer": ("technical", "professional"),
    "programmer": ("technical", "professional"),
    "manager": ("technical", "professional"),
    "student": ("in education", "not working"),
    "unemployed": ("seeking work", "not working"),
    "retired": ("pensioner", "not working"),
}
WORK = tuple(SECTOR)[:18]
# For a woman (a man's are tilted below). Rows: school, vocational, university; columns: WORK.
WORK_BY_EDUCATION = (
    (14, 11, 18, 6, 9, 4, 1, 2, 12, 2, 0, 1, 0, 15, 1, 0, 1, 3),
    (4, 9, 12, 5, 4, 4, 5, 5, 12, 14, 0, 2, 0, 14, 4, 2, 3, 4),
    (1, 1, 3, 1, 1, 0, 0, 0, 3, 8, 8, 19, 7, 8, 9, 9, 11, 11),
)
MALE_TILT = (0.4, 1.1, 0.6, 5, 3, 12, 12, 12, 0.3, 0.25, 1, 0.5, 1, 0.4, 0.9, 3, 2.5, 1.5)

INCOME = ("under 15k", "15k-30k", "30k-50k", "50k-80k", "over 80k")
# Typical step on the income ladder for each occupation of SECTOR, before age and chance.
INCOME_STEP = (
    0.7,
    0.9,
    0.9,
    1.2,
    1.0,
    1.4,
    1.7,
    1.6,
    1.0,
    1.7,
    3.6,
    2.0,
    2.3,
    1.4,
    2.3,
    2.8,
    2.7,
    3.1,
    0.0,
    0.1,
    1.0,
)

DIAGNOSIS = (
    "none",
    "hypertension",
    "diabetes",
    "asthma",
    "back pain",
    "depression",
    "heart disease",
    "cancer",
    "migraine",
    "hepatitis",
    "HIV",
    "dementia",
)
# Rows: under 35, 35 to 54, 55 to 69, 70 and over.
DIAGNOSIS_BY_AGE = (
    (62, 2.0, 1.2, 10, 6, 10, 0.3, 0.7, 7.0, 0.6, 0.7, 0.0),
    (42, 11, 5.0, 7, 14, 11, 2.0, 2.5, 5.5, 0.8, 0.7, 0.1),
    (24, 24, 11, 6, 14, 7, 8.0, 6.0, 2.5, 0.6, 0.4, 1.0),
    (12, 28, 14, 5, 10, 5, 15, 9.0, 1.0, 0.3, 0.1, 8.0),
)
FEMALE_DIAGNOSIS_TILT = (1, 0.9, 0.8, 1.1, 1.0, 1.6, 0.6, 1.0, 2.5, 0.7, 0.4, 1.3)
MANUAL_DIAGNOSIS_TILT = (0.9, 1.1, 1.2, 1.2, 2.0, 1.0, 1.1, 1.0, 0.9, 1.2, 1.0, 1.0)
POOR_DIAGNOSIS_TILT = (0.8, 1.2, 1.5, 1.3, 1.2, 1.7, 1.3, 1.1, 1.0, 1.8, 1.5, 1.1)

# Chosen so that no syllables meet to an ugly word.
ONSETS = ("b", "br", "d", "dr", "f", "gl", "j", "l", "m", "n", "r", "s", "st", "t", "v", "w", "y")
VOWELS = ("a", "e", "i", "o", "u", "ae", "ia", "or", "an", "el", "in")
ENDINGS = ("", "ke", "l", "r", "s", "den", "mar", "ton", "wick")
