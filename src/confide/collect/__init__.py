"""Collecting records that people perturb themselves, and mining what they meant. Modules in dependency order:"""

__all__: list[str] = []
