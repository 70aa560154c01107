"""The one way from a problem to a proved answer."""
