"""The lab: a page on this machine where points can be put down and every algorithm of the subject watched.

`separatrix lab` serves it. The solver stays here, in Python; the page shows the library's own numbers and draws them.
"""
