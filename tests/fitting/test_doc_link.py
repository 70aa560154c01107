"""The HTML representation links to our reference, and nowhere while there is none."""

from __future__ import annotations

from email.message import Message
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest
from sklearn.utils import estimator_html_repr

from separatrix import SVC, SVCCV, Perceptron
from separatrix.fitting import doc_link

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "python.md"


def stated(monkeypatch, *urls):
    message = Message()
    for url in urls:
        message["Project-URL"] = url
    monkeypatch.setattr(doc_link, "metadata", lambda name: message)
    doc_link.documentation.cache_clear()


@pytest.fixture(autouse=True)
def _forget():
    yield
    doc_link.documentation.cache_clear()


@pytest.mark.parametrize("model", [SVC(), Perceptron(), SVCCV()])
def test_the_link_leads_to_the_entry_of_the_estimator(model, monkeypatch):
    stated(monkeypatch, "Source, https://code.example", "Documentation, https://docs.example/separatrix/")
    entry = f"{type(model).__module__}.{type(model).__qualname__}"
    link = f"https://docs.example/separatrix/reference/python.html#{entry}"
    assert f'href="{link}"' in estimator_html_repr(model)
    assert f"::: {entry}\n" in PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize("model", [SVC(), Perceptron(), SVCCV()])
def test_without_an_address_there_is_no_link(model, monkeypatch):
    stated(monkeypatch)
    assert "Documentation for" not in estimator_html_repr(model)

    def unknown(name):
        raise PackageNotFoundError(name)

    monkeypatch.setattr(doc_link, "metadata", unknown)
    doc_link.documentation.cache_clear()
    assert model._get_doc_link() == ""
