"""Answers for people: pictures of what was found."""
