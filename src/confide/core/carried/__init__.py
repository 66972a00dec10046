"""Kernels that came compiled with the wheel, in folders named by what they were compiled for.

wheel   finds one that this process can run and trust; the build fills one
"""
