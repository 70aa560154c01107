"""The pictures of the page: what each needs to be drawn, as JSON. `catalogue.py` lists them."""
