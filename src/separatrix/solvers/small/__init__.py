"""All binary problems of a small fit in one compiled call, to the last digits."""
