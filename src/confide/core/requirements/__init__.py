"""Privacy requirements: what must hold of a release, in objects that are checked once and speak plain English.

A requirement says *what* must hold. It knows neither how a stage gets there nor how an auditor checks it. In
dependency order:

base             what all requirements share
weakening        the nearest value of a parameter that works, for refusals
coherence        records of items: someone who knows a few items of a person finds k records or none
earlier_releases  what a passport says of the releases that one is built on
tables           tables: rows that look alike are many, and their sensitive values tell little
amplification    answers that people perturb themselves: odds shift by at most a factor
exchange         one tree over several tables: what may cross between the sites
output_privacy   patterns of a stream: rare ones cannot be inferred
exposure         a profile: only its coarse part leaves the machine
version_2        the frozen sentences of passports of version 2
"""

from confide.core.requirements import tables
from confide.core.requirements.amplification import Amplification
from confide.core.requirements.base import Requirement
from confide.core.requirements.coherence import Coherence
from confide.core.requirements.exchange import LimitedExchange
from confide.core.requirements.exposure import Exposure
from confide.core.requirements.output_privacy import OutputPrivacy
from confide.core.requirements.tables import DeltaPresence, KMap, KMapBySize, KMapByWeight
from confide.core.requirements.tables.closeness import *  # noqa: F403 - the requirements that its `__all__` lists
from confide.core.requirements.tables.combination import *  # noqa: F403
from confide.core.requirements.tables.diversity import *  # noqa: F403
from confide.core.requirements.tables.groups import *  # noqa: F403

__all__ = [
    "Amplification",
    "Coherence",
    "DeltaPresence",
    "Exposure",
    "KMap",
    "KMapBySize",
    "KMapByWeight",
    "LimitedExchange",
    "OutputPrivacy",
    "Requirement",
    *tables.closeness.__all__,
    *tables.combination.__all__,
    *tables.diversity.__all__,
    *tables.groups.__all__,
]
