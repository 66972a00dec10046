"""One decision tree over tables that may not meet. Modules in dependency order:"""

__all__: list[str] = []
