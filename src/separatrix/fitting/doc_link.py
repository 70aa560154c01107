"""The link to the documentation that scikit-learn puts next to the name of an estimator in a notebook."""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError, metadata


@cache
def documentation() -> str:
    """Address of the documentation as the installed package states it (Project-URL); empty where it states none."""
    try:
        urls = metadata("separatrix").get_all("Project-URL") or []
    except PackageNotFoundError:
        return ""
    known = dict(url.split(", ", 1) for url in urls if ", " in url)
    return str(known.get("Documentation", "")).rstrip("/")


class DocumentationLink:
    """An estimator whose HTML representation links to its entry in the reference, where the package has one."""

    _doc_link_module = "separatrix"

    @property
    def _doc_link_template(self) -> str:
        home = documentation()
        return f"{home}/reference/python.html#{{estimator_module}}.{{estimator_name}}" if home else ""
