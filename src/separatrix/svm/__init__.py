"""SVC, its path and what it publishes."""
