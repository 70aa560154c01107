"""The sets of the data folder that are not LIBSVM text, as X and the labels: tables of numbers and words, messages."""

from __future__ import annotations

import gzip
from typing import Any

import numpy as np

from benchmarks.data import folder


def spambase() -> tuple[np.ndarray, np.ndarray]:
    table = np.loadtxt(folder() / "spambase.csv.gz", delimiter=",")
    return np.ascontiguousarray(table[:, :-1]), table[:, -1]


def adult(part: str) -> tuple[np.ndarray, np.ndarray]:
    """The census table, "data" or "test": numbers as they are, words as one column each."""
    with gzip.open(folder() / f"adult.{part}.csv.gz", "rt", encoding="utf-8") as file:
        lines = [[cell.strip() for cell in line.split(",")] for line in file][1:]  # a header
    cells = [line for line in lines if len(line) == 15]
    table = list(zip(*cells, strict=True))
    blocks = []
    for column in table[:-1]:
        values = np.array(column)
        try:
            blocks.append(values.astype(np.float64)[:, None])
        except ValueError:
            blocks.append((values[:, None] == np.unique(values)).astype(np.float64))
    return np.hstack(blocks), np.array([label.rstrip(".") for label in table[-1]])


def sms_spam() -> tuple[Any, np.ndarray]:
    """Messages as tf-idf of their words."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    with gzip.open(folder() / "SMSSpamCollection.tsv.gz", "rt", encoding="utf-8") as file:
        lines = [line.rstrip("\n").split("\t", 1) for line in file]
    X = TfidfVectorizer().fit_transform([text for _, text in lines])
    return X, np.array([label for label, _ in lines])
