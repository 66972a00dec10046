"""How code is loaded, compiled and watched. In dependency order:

lazy           names that are imported when first used
extras         optional packages: one clear line where one is absent
unfinished     what is being written, and what killed processes left of it
memory         how much is free, and how far a packed file may unpack
threads        how many cores, and work shared among them
compiled       kernels by numba
interpreted    kernels as the Python they are
jit            the one door to both
bit_kernels    bitmaps: bits set in several at once, the next bit
array_kernels  an array written into another
progress       progress of long work
terminal       text of others, made safe for a terminal
"""
