"""What an agent may do with a store, whichever door it comes through.

``verbs`` are the tools as plain calls, ``tools`` what is told of them; ``conversation`` keeps whose
turn it is, ``store`` who asks. No SDK is imported here.
"""
