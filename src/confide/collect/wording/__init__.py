"""What people read who answer: sentences in several languages. In dependency order:

languages          the sentences of a language, and numbers as it writes them
"""
