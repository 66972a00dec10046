"""Collecting records that people perturb themselves, and mining what they meant. Modules in dependency order:

fields             names and values of categorical records, coding                   Bins, Field, Fields
scheme             what client and server agree on: JSON, wire, promise              Scheme, Amplified, read_scheme
_perturb_kernels   random words into perturbed records
sampling           exact draws for many records at once
item_scheme        what schemes for sets of items share
mask               every item kept or flipped on its own                             Mask, Emask
cut_and_paste      a few true items among many random ones                           CutAndPaste
record_scheme      what schemes for categorical records share
gamma_diagonal     the whole record kept, or any other drawn                         GammaDiagonal
matrix_scheme      a matrix of the user's own                                        MatrixScheme
"""

from typing import TYPE_CHECKING

from confide.core.lazy import exports

if TYPE_CHECKING:
    from confide.collect.cut_and_paste import CutAndPaste
    from confide.collect.fields import Bins, Field, Fields
    from confide.collect.gamma_diagonal import GammaDiagonal
    from confide.collect.mask import Emask, Mask
    from confide.collect.matrix_scheme import MatrixScheme
    from confide.collect.scheme import Amplified, Scheme, read_scheme

__all__ = [
    "Amplified",
    "Bins",
    "CutAndPaste",
    "Emask",
    "Field",
    "Fields",
    "GammaDiagonal",
    "Mask",
    "MatrixScheme",
    "Scheme",
    "read_scheme",
]

__getattr__, __dir__ = exports(
    __name__,
    {
        "Amplified": "confide.collect.scheme",
        "Bins": "confide.collect.fields",
        "CutAndPaste": "confide.collect.cut_and_paste",
        "Emask": "confide.collect.mask",
        "Field": "confide.collect.fields",
        "Fields": "confide.collect.fields",
        "GammaDiagonal": "confide.collect.gamma_diagonal",
        "Mask": "confide.collect.mask",
        "MatrixScheme": "confide.collect.matrix_scheme",
        "Scheme": "confide.collect.scheme",
        "read_scheme": "confide.collect.scheme",
    },
)
