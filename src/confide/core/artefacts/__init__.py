"""Everything that can be released, by kind. In dependency order:

names             names of files that somebody's file gives
packing           a packed file that holds one packed stream and nothing beside it
exact             a released file, read only if it is what our writer writes
passes            a released table, read in batches and never held whole
released_baskets  released records of items, read in batches and kept as codes
released_parts    a released folder of parts
kinds             one entry for each kind: saved, loaded, read by a stranger, compared
originals         what a stage read, for the auditor to compare with what is released
signing_keys      keys that sign the passport of what is released
held_files        a file that one process at a time works on
"""

from typing import TYPE_CHECKING

from confide.core.runtime.lazy import exports

if TYPE_CHECKING:
    from confide.core.artefacts.kinds import load, save, type_of

__all__ = ["load", "save", "type_of"]

__getattr__, __dir__ = exports(__name__, dict.fromkeys(__all__, "confide.core.artefacts.kinds"))
