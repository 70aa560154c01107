"""The algorithms of the page, one step at a time: each run drives the library's own solver and records frames."""
