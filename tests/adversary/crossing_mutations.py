"""Mutations that bring something from elsewhere: other data, fields of another certificate, another sentence."""

from __future__ import annotations

import random

from tests.adversary.drafts import Draft, changed_float, copied, renewed
from tests.adversary.specimens import Specimen

Draws = random.Random


def data(rng: Draws, draft: Draft) -> bool:
    """The data have another entry, another label or another order, and the document has their fingerprints."""
    X = [row[:] for row in draft.data.X]
    y = list(draft.data.y)
    way = rng.randrange(5)
    i = rng.randrange(len(X))
    if way == 0 and draft.data.columns:
        j = rng.randrange(draft.data.columns)
        X[i][j] = changed_float(rng, X[i][j])
    elif way == 1:
        y[i] = rng.choice(y)
    elif way == 2:
        k = rng.randrange(len(X))
        X[i], X[k] = X[k], X[i]
    elif way == 3:
        k = rng.randrange(len(X))
        X[i] = X[k][:]
    else:
        y[i] = "new" if draft.data.labels == "text" else rng.choice([12, 0.25, -3])
    draft.data = draft.data.changed(X, y)
    if rng.random() < 0.9:
        renewed(draft)
    return True


def splice(rng: Draws, draft: Draft, pool: list[Specimen]) -> bool:
    """Fields of another certificate stand in this one."""
    other = rng.choice(pool)
    way = rng.randrange(5)
    if way == 0:
        draft.document["proof"] = copied(other.document["proof"])
    elif way == 1:
        draft.document["problem"] = copied(other.document["problem"])
    elif way == 2:
        draft.document["kind"] = other.document["kind"]
        draft.document["proof"] = copied(other.document["proof"])
    elif way == 3:
        draft.data = other.data
        draft.document["data"] = copied(other.document["data"])
    else:
        name = rng.choice(list(other.document["proof"]))
        if not isinstance(draft.document.get("proof"), dict):
            return False
        draft.document["proof"][name] = copied(other.document["proof"][name])
    return True


def claim(rng: Draws, draft: Draft, pool: list[Specimen]) -> bool:
    """The claim is another sentence, or the same with a letter, a digit or a space changed."""
    text = draft.document.get("claim")
    if not isinstance(text, str) or not text:
        return False
    way = rng.randrange(6)
    if way == 0:
        new = rng.choice(pool).document["claim"]
    elif way == 1:
        places = [i for i, letter in enumerate(text) if letter.isdigit()]
        if not places:
            return False
        i = rng.choice(places)
        new = text[:i] + rng.choice("0123456789") + text[i + 1 :]
    elif way == 2:
        new = text.replace(
            rng.choice(["a", " ", ";", "rows", "strictly", "between"]),
            rng.choice(["", "  ", "b", "\u00a0"]),
            1,
        )
    elif way == 3:
        new = rng.choice(
            [
                "",
                "Every row is separated.",
                text + " ",
                " " + text,
                text + "\n",
                text[:-1],
                text.upper(),
                text + " " + text,
            ]
        )
    elif way == 4:
        new = text.replace("take part", "take part, not the excluded 0")
    else:
        new = text.replace(".", ",", 1)
    draft.document["claim"] = new
    draft.rewrite = False
    return new != text


CROSSING = [splice, claim]
