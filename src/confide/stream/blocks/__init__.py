"""The scheme `blocks`: noise that comes and goes with the records, drawn by key. In dependency order:

gaussian         discrete Gaussian laws with whole weights
factor           how much noise blocks need against whoever cleans them one by one
law              the noise of a run: what stays, what comes and goes, how far it reaches, what is published
keyed            draws by key, itemset and block
key_file         the file of a key
used_blocks      which promise and which blocks a key was used for
block_digests    which records each block was used for
block_publisher  the values of one release
block_precision  how far off published values are
"""
