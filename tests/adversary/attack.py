"""One attack: documents go to every checker, their answers are compared with each other and with the oracle."""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from tests.adversary.document import Data
from tests.adversary.drafts import Draft, content
from tests.adversary.judges import Answer, Node, arrays, python
from tests.adversary.oracle import judge, judge_conditional, undetermined

TRIED, REJECTED, TRUE, CONDITIONAL, UNKNOWN, WRONG = (
    "tried",
    "rejected",
    "true",
    "conditional",
    "unknown",
    "wrong",
)
COLUMNS = (TRIED, REJECTED, TRUE, CONDITIONAL, UNKNOWN, WRONG)


@dataclass(frozen=True)
class Question:
    """One document for the checkers, and what is known of it beforehand."""

    name: str
    kind: str
    content: bytes
    document: Any  # None: the checkers must read the bytes as a file
    data: Data
    malformed: bool = False
    expected: str | None = None
    tight: bool = False


def question(name: str, draft: Draft) -> Question:
    """What a draft asks."""
    expected = draft.source.outcome if draft.equivalent else None
    kind = draft.source.document["kind"]
    document = draft.document if draft.text is None else None
    return Question(
        name, kind, content(draft), document, draft.data, draft.malformed, expected, draft.source.tight
    )


@dataclass
class Attack:
    """The tally of an attack, and everything that a checker did wrong."""

    node: Node | None
    tally: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    findings: list[dict[str, Any]] = field(default_factory=list)
    _held: dict[int, Any] = field(default_factory=dict)

    def ask(self, questions: list[Question], drafts: Iterable[Any]) -> None:
        """Put questions to all checkers; `drafts` are the documents for the oracle, one for each."""
        by_node = (
            self.node.answers([(q.content, q.data) for q in questions])
            if self.node
            else [None] * len(questions)
        )
        for asked, document, node in zip(questions, drafts, by_node, strict=True):
            answers = python(asked.content, asked.document, asked.data, self._arrays(asked.data))
            if node is not None:
                answers["javascript"] = node
            column, wrong = assess(asked, document, answers)
            for part in asked.name.split("+"):
                self.tally[asked.kind, part, TRIED] += 1
                self.tally[asked.kind, part, column] += 1
            if wrong:
                self.findings.append(finding(asked, answers, wrong))

    def _arrays(self, data: Data) -> Any:
        if data.identity not in self._held:
            if len(self._held) > 2_000:
                self._held.clear()
            self._held[data.identity] = arrays(data)
        return self._held[data.identity]


def assess(asked: Question, document: Any, answers: dict[str, Answer]) -> tuple[str, str]:
    """The column of the table, and what was wrong: nothing if the text is empty."""
    crashed = [f"{name}: {answer.reason}" for name, answer in answers.items() if answer.outcome == "crash"]
    if crashed:
        return WRONG, "a crash of " + "; ".join(crashed)
    outcomes = {name: answer.outcome for name, answer in answers.items()}
    exact = outcomes["exact"]
    if outcomes.get("javascript", exact) != exact:
        if not asked.malformed and undetermined(document, asked.data):
            return UNKNOWN, ""
        return WRONG, "Python and JavaScript disagree"
    if outcomes["floats"] not in (exact, "rejected"):
        return WRONG, "floats accept what exact arithmetic does not"
    if asked.expected and (exact != asked.expected or (outcomes["floats"] != exact and not asked.tight)):
        return WRONG, "a genuine document is not accepted"
    if exact == "rejected":
        return REJECTED, ""
    if asked.malformed:
        return WRONG, "a document that is none of the page is accepted"
    if exact == "conditional":
        deserved = judge_conditional(document, asked.data)
        return (CONDITIONAL, "") if deserved else (WRONG, "conditional without need, or for another sentence")
    verdict = judge(document, asked.data)
    if verdict in ("true", "unknown"):
        return (TRUE if verdict == "true" else UNKNOWN), ""
    return WRONG, f"accepted, and the oracle says: {verdict}"


def finding(asked: Question, answers: dict[str, Answer], wrong: str) -> dict[str, Any]:
    """All that is needed to see it again."""
    return {
        "wrong": wrong, "name": asked.name, "kind": asked.kind,
        "answers": {name: [answer.outcome, answer.reason] for name, answer in answers.items()},
        "certificate_base64": base64.b64encode(asked.content).decode(), "labels": asked.data.labels,
        "X": asked.data.X, "y": asked.data.y, "columns": asked.data.columns, "K": asked.data.K,
    }  # fmt: skip
