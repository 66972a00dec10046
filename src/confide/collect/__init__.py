"""Collecting records that people perturb themselves, and mining what they meant. In dependency order:

wording            what people read who answer, in several languages
fields             names and values of categorical records
estimating         itemsets, rules and trees of the true records, from perturbed ones
numbered           records and answers numbered, for an auditor
schemes            how a record is perturbed: Mask, Emask, CutAndPaste, GammaDiagonal, MatrixScheme
answers            the laws of answers about one value of many, and many answers at once
designs            the same with less noise: RandomizedResponse, UnaryEncoding, LocalHashing, SampledDesign and others
baskets            questions about baskets, and frequent sets found in rounds: BasketQuestion, BasketSearch
repeated           the same question again and again, and texts nobody can list: RepeatedAnswers, PrefixSearch
planning           parameters for a promise, and how much a scheme protects
stored             records that stay in their files, perturbed batch by batch
perturbed_release  a batch of perturbed records with its passport
survey             a survey as people read it: questions in their languages, results, progress
service            a collector over HTTP, and its clients
jobs               what a command, a notebook or a page asks for: a request in, a result with its notes out

Names are imported when first used: `import confide.collect` loads neither numba nor pyarrow.
"""

from typing import TYPE_CHECKING

from confide.core.runtime.lazy import exports

if TYPE_CHECKING:
    from confide.collect.baskets.basket_question import BasketQuestion
    from confide.collect.baskets.basket_search import BasketSearch
    from confide.collect.designs.collection_plan import CollectionPlan, plan_collection
    from confide.collect.designs.randomized_response import RandomizedResponse
    from confide.collect.designs.record_design import LocalHashing, SubsetSelection, UnaryEncoding
    from confide.collect.designs.sampled_design import SampledDesign
    from confide.collect.estimating.perturbed_tree import learn_tree
    from confide.collect.estimating.reconstruction import reconstructed_rules
    from confide.collect.fields.field import Bins, Field
    from confide.collect.fields.fields import Fields
    from confide.collect.jobs.describe import Described, describe_file
    from confide.collect.jobs.mine import Mined, mine
    from confide.collect.jobs.perturb import Perturbed, perturb
    from confide.collect.jobs.plan import Planned, plan
    from confide.collect.jobs.privacy import Privacy, privacy
    from confide.collect.jobs.requests import (
        CollectMine,
        CollectPerturb,
        CollectPlan,
        CollectPrivacy,
        CollectSend,
        CollectServe,
        CollectSurvey,
    )
    from confide.collect.jobs.send import Submitted, send
    from confide.collect.planning.emask_plan import EmaskPlan, plan_emask
    from confide.collect.planning.perturber import perturber_of
    from confide.collect.planning.privacy_measures import BasicPrivacy, basic_privacy
    from confide.collect.planning.reinterrogation import ReinterrogationPrivacy, reinterrogation_privacy
    from confide.collect.planning.scheme_choice import Description, describe
    from confide.collect.planning.strict_plans import (
        ColumnsPlan,
        CutAndPastePlan,
        GammaPlan,
        MaskPlan,
        plan_columns,
        plan_cut_and_paste,
        plan_gamma,
        plan_mask,
    )
    from confide.collect.repeated.prefix_search import FoundText, PrefixSearch
    from confide.collect.repeated.repeated_answers import RepeatedAnswers, RepeatingDevice
    from confide.collect.schemes.cut_and_paste import CutAndPaste
    from confide.collect.schemes.gamma_diagonal import GammaDiagonal
    from confide.collect.schemes.mask import Emask, Mask
    from confide.collect.schemes.matrix_scheme import MatrixScheme
    from confide.collect.schemes.promise import posterior, posterior_range
    from confide.collect.schemes.scheme import Amplified, Scheme, read_scheme
    from confide.collect.service.client import Client
    from confide.collect.service.server import serve
    from confide.collect.service.store import Collected, read_store
    from confide.collect.survey.question_results import QuestionResult, question_results
    from confide.collect.survey.survey_file import Survey, read_survey
    from confide.core.figures import Study

__all__ = [
    "Amplified",
    "BasicPrivacy",
    "BasketQuestion",
    "BasketSearch",
    "Bins",
    "Client",
    "CollectMine",
    "CollectPerturb",
    "CollectPlan",
    "CollectPrivacy",
    "CollectSend",
    "CollectServe",
    "CollectSurvey",
    "Collected",
    "CollectionPlan",
    "ColumnsPlan",
    "CutAndPaste",
    "CutAndPastePlan",
    "Described",
    "Description",
    "Emask",
    "EmaskPlan",
    "Field",
    "Fields",
    "FoundText",
    "GammaDiagonal",
    "GammaPlan",
    "LocalHashing",
    "Mask",
    "MaskPlan",
    "MatrixScheme",
    "Mined",
    "Perturbed",
    "Planned",
    "PrefixSearch",
    "Privacy",
    "QuestionResult",
    "RandomizedResponse",
    "ReinterrogationPrivacy",
    "RepeatedAnswers",
    "RepeatingDevice",
    "SampledDesign",
    "Scheme",
    "Study",
    "Submitted",
    "SubsetSelection",
    "Survey",
    "UnaryEncoding",
    "basic_privacy",
    "describe",
    "describe_file",
    "learn_tree",
    "mine",
    "perturb",
    "perturber_of",
    "plan",
    "plan_collection",
    "plan_columns",
    "plan_cut_and_paste",
    "plan_emask",
    "plan_gamma",
    "plan_mask",
    "posterior",
    "posterior_range",
    "privacy",
    "question_results",
    "read_scheme",
    "read_store",
    "read_survey",
    "reconstructed_rules",
    "reinterrogation_privacy",
    "send",
    "serve",
]

__getattr__, __dir__ = exports(
    __name__,
    {
        "Amplified": "confide.collect.schemes.scheme",
        "BasicPrivacy": "confide.collect.planning.privacy_measures",
        "BasketQuestion": "confide.collect.baskets.basket_question",
        "BasketSearch": "confide.collect.baskets.basket_search",
        "Bins": "confide.collect.fields.field",
        "Client": "confide.collect.service.client",
        "CollectMine": "confide.collect.jobs.requests",
        "CollectPerturb": "confide.collect.jobs.requests",
        "CollectPlan": "confide.collect.jobs.requests",
        "CollectPrivacy": "confide.collect.jobs.requests",
        "CollectSend": "confide.collect.jobs.requests",
        "CollectServe": "confide.collect.jobs.requests",
        "CollectSurvey": "confide.collect.jobs.requests",
        "Collected": "confide.collect.service.store",
        "CollectionPlan": "confide.collect.designs.collection_plan",
        "ColumnsPlan": "confide.collect.planning.strict_plans",
        "CutAndPaste": "confide.collect.schemes.cut_and_paste",
        "CutAndPastePlan": "confide.collect.planning.strict_plans",
        "Described": "confide.collect.jobs.describe",
        "Description": "confide.collect.planning.scheme_choice",
        "Emask": "confide.collect.schemes.mask",
        "EmaskPlan": "confide.collect.planning.emask_plan",
        "Field": "confide.collect.fields.field",
        "Fields": "confide.collect.fields.fields",
        "FoundText": "confide.collect.repeated.prefix_search",
        "GammaDiagonal": "confide.collect.schemes.gamma_diagonal",
        "GammaPlan": "confide.collect.planning.strict_plans",
        "LocalHashing": "confide.collect.designs.record_design",
        "Mask": "confide.collect.schemes.mask",
        "MaskPlan": "confide.collect.planning.strict_plans",
        "MatrixScheme": "confide.collect.schemes.matrix_scheme",
        "Mined": "confide.collect.jobs.mine",
        "Perturbed": "confide.collect.jobs.perturb",
        "Planned": "confide.collect.jobs.plan",
        "PrefixSearch": "confide.collect.repeated.prefix_search",
        "Privacy": "confide.collect.jobs.privacy",
        "QuestionResult": "confide.collect.survey.question_results",
        "RandomizedResponse": "confide.collect.designs.randomized_response",
        "ReinterrogationPrivacy": "confide.collect.planning.reinterrogation",
        "RepeatedAnswers": "confide.collect.repeated.repeated_answers",
        "RepeatingDevice": "confide.collect.repeated.repeated_answers",
        "SampledDesign": "confide.collect.designs.sampled_design",
        "Scheme": "confide.collect.schemes.scheme",
        "Study": "confide.core.figures",
        "Submitted": "confide.collect.jobs.send",
        "SubsetSelection": "confide.collect.designs.record_design",
        "Survey": "confide.collect.survey.survey_file",
        "UnaryEncoding": "confide.collect.designs.record_design",
        "basic_privacy": "confide.collect.planning.privacy_measures",
        "describe": "confide.collect.planning.scheme_choice",
        "describe_file": "confide.collect.jobs.describe",
        "learn_tree": "confide.collect.estimating.perturbed_tree",
        "mine": "confide.collect.jobs.mine",
        "perturb": "confide.collect.jobs.perturb",
        "perturber_of": "confide.collect.planning.perturber",
        "plan": "confide.collect.jobs.plan",
        "plan_collection": "confide.collect.designs.collection_plan",
        "plan_columns": "confide.collect.planning.strict_plans",
        "plan_cut_and_paste": "confide.collect.planning.strict_plans",
        "plan_emask": "confide.collect.planning.emask_plan",
        "plan_gamma": "confide.collect.planning.strict_plans",
        "plan_mask": "confide.collect.planning.strict_plans",
        "posterior": "confide.collect.schemes.promise",
        "posterior_range": "confide.collect.schemes.promise",
        "privacy": "confide.collect.jobs.privacy",
        "question_results": "confide.collect.survey.question_results",
        "read_scheme": "confide.collect.schemes.scheme",
        "read_store": "confide.collect.service.store",
        "read_survey": "confide.collect.survey.survey_file",
        "reconstructed_rules": "confide.collect.estimating.reconstruction",
        "reinterrogation_privacy": "confide.collect.planning.reinterrogation",
        "send": "confide.collect.jobs.send",
        "serve": "confide.collect.service.server",
    },
)
