"""Exports of the lab: a page that plays a run without a server, and the program that repeats it."""
