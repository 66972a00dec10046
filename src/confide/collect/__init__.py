"""Collecting records that people perturb themselves, and mining what they meant. Modules in dependency order:

fields             names and values of categorical records                           Bins, Field, Fields
field_coding       arrays and frames of them as codes
scheme             what client and server agree on: JSON, wire, promise              Scheme, Amplified, read_scheme
_perturb_kernels   random words into perturbed records
sampling           exact draws for many records at once
item_scheme        what schemes for sets of items share
mask               every item kept or flipped on its own                             Mask, Emask
cut_and_paste      a few true items among many random ones                           CutAndPaste
record_scheme      what schemes for categorical records share
gamma_diagonal     the whole record kept, or any other drawn                         GammaDiagonal
matrix_scheme      a matrix of the user's own                                        MatrixScheme
releasing          a batch of perturbed records with its passport
privacy            how much is hidden on average, and what is bounded for everyone   basic_privacy, posterior, ...
_breach_kernels    frequent itemsets seen in each perturbed record
reinterrogating    what is left once the mining result is known too                  reinterrogation_privacy
planner            p and q for goals on breach, error and slowdown                   plan_emask
plans              parameters for a strict promise           plan_gamma, plan_mask, plan_cut_and_paste
choosing           which scheme fits a file                                          describe
estimates          weights of perturbed records, estimates, variances: items
cell_estimates     the same for categorical records
_level_kernels     rows and columns of frequent items, and counting in them
level_counts       single items, pairs, candidates: counted on every core
levelwise          Apriori whose supports are estimates: items
fieldwise          the same for categorical records
_projection_kernels, projection    estimates made consistent
rule_errors        how sure the confidence of a rule is
reconstruct        itemsets and rules of the true records                            reconstructed_rules
perturbed_tree     a decision tree from gamma-diagonal records                       learn_tree
picturing          charts of the promise, and of estimates beside the truth      promise_charts, truth_charts
auditing           a scheme as the likelihood auditor wants it                       perturber_of
store              where a collector keeps records; what it gives back               Collected, read_store
store_duckdb, store_postgres    the two kinds of store
exporting          what a store holds as a release
recording          many submissions in one transaction
notice             what leaves your device, in plain words
server             the collector over HTTP                                           serve
keeping            one draw per person, kept and sent again
client             draws here, keeps, sends                                          Client
"""

from typing import TYPE_CHECKING

from confide.core.lazy import exports

if TYPE_CHECKING:
    from confide.collect.auditing import perturber_of
    from confide.collect.choosing import Description, describe
    from confide.collect.client import Client
    from confide.collect.cut_and_paste import CutAndPaste
    from confide.collect.fields import Bins, Field, Fields
    from confide.collect.gamma_diagonal import GammaDiagonal
    from confide.collect.mask import Emask, Mask
    from confide.collect.matrix_scheme import MatrixScheme
    from confide.collect.perturbed_tree import learn_tree
    from confide.collect.planner import EmaskPlan, plan_emask
    from confide.collect.plans import (
        CutAndPastePlan,
        GammaPlan,
        MaskPlan,
        plan_cut_and_paste,
        plan_gamma,
        plan_mask,
    )
    from confide.collect.privacy import BasicPrivacy, basic_privacy, posterior, posterior_range
    from confide.collect.reconstruct import reconstructed_rules
    from confide.collect.reinterrogating import ReinterrogationPrivacy, reinterrogation_privacy
    from confide.collect.scheme import Amplified, Scheme, read_scheme
    from confide.collect.server import serve
    from confide.collect.store import Collected, read_store

__all__ = [
    "Amplified",
    "BasicPrivacy",
    "Bins",
    "Client",
    "Collected",
    "CutAndPaste",
    "CutAndPastePlan",
    "Description",
    "Emask",
    "EmaskPlan",
    "Field",
    "Fields",
    "GammaDiagonal",
    "GammaPlan",
    "Mask",
    "MaskPlan",
    "MatrixScheme",
    "ReinterrogationPrivacy",
    "Scheme",
    "basic_privacy",
    "describe",
    "learn_tree",
    "perturber_of",
    "plan_cut_and_paste",
    "plan_emask",
    "plan_gamma",
    "plan_mask",
    "posterior",
    "posterior_range",
    "read_scheme",
    "read_store",
    "reconstructed_rules",
    "reinterrogation_privacy",
    "serve",
]

__getattr__, __dir__ = exports(
    __name__,
    {
        "Amplified": "confide.collect.scheme",
        "BasicPrivacy": "confide.collect.privacy",
        "Bins": "confide.collect.fields",
        "Client": "confide.collect.client",
        "Collected": "confide.collect.store",
        "CutAndPaste": "confide.collect.cut_and_paste",
        "CutAndPastePlan": "confide.collect.plans",
        "Description": "confide.collect.choosing",
        "Emask": "confide.collect.mask",
        "EmaskPlan": "confide.collect.planner",
        "Field": "confide.collect.fields",
        "Fields": "confide.collect.fields",
        "GammaDiagonal": "confide.collect.gamma_diagonal",
        "GammaPlan": "confide.collect.plans",
        "Mask": "confide.collect.mask",
        "MaskPlan": "confide.collect.plans",
        "MatrixScheme": "confide.collect.matrix_scheme",
        "ReinterrogationPrivacy": "confide.collect.reinterrogating",
        "Scheme": "confide.collect.scheme",
        "basic_privacy": "confide.collect.privacy",
        "describe": "confide.collect.choosing",
        "learn_tree": "confide.collect.perturbed_tree",
        "perturber_of": "confide.collect.auditing",
        "plan_cut_and_paste": "confide.collect.plans",
        "plan_emask": "confide.collect.planner",
        "plan_gamma": "confide.collect.plans",
        "plan_mask": "confide.collect.plans",
        "posterior": "confide.collect.privacy",
        "posterior_range": "confide.collect.privacy",
        "read_scheme": "confide.collect.scheme",
        "read_store": "confide.collect.store",
        "reconstructed_rules": "confide.collect.reconstruct",
        "reinterrogation_privacy": "confide.collect.reinterrogating",
        "serve": "confide.collect.server",
    },
)
