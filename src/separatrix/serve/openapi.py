"""The OpenAPI document of the interface, from one table of all requests."""

from __future__ import annotations

from typing import Any

from separatrix import __version__
from separatrix.serve.tensors import TYPES

_TENSOR = {
    "type": "object",
    "required": ["name", "shape", "datatype"],
    "properties": {
        "name": {"type": "string"},
        "shape": {"type": "array", "items": {"type": "integer", "minimum": 0}, "minItems": 1, "maxItems": 8},
        "datatype": {"enum": [*TYPES, "BYTES"]},
        "data": {"type": "array", "items": {}},
        "parameters": {"type": "object"},
    },
}
_ROWS = {
    "type": "object",
    "required": ["inputs"],
    "properties": {
        "id": {"type": "string", "minLength": 1, "maxLength": 200},
        "inputs": {
            "type": "array",
            "items": {"$ref": "#/components/schemas/Tensor"},
            "minItems": 1,
            "maxItems": 16,
        },
        "outputs": {"type": "array", "items": {"type": "object"}},
        "parameters": {
            "type": "object",
            "properties": {
                "remember": {"type": "boolean"},
                "prediction": {"type": "string", "minLength": 1, "maxLength": 200},
            },
        },
    },
}
_ANSWER = {
    "type": "object",
    "required": ["model_name", "model_version", "outputs"],
    "properties": {
        "model_name": {"type": "string"},
        "model_version": {"type": "string"},
        "id": {"type": "string"},
        "parameters": {"type": "object"},
        "outputs": {"type": "array", "items": {"$ref": "#/components/schemas/Tensor"}},
    },
}
_STATS = {
    "type": "object",
    "required": ["name", "learns", "rows_learned", "mistakes", "bound", "serving"],
    "properties": {
        "name": {"type": "string"},
        "learns": {"type": "boolean"},
        "rows_learned": {"type": "integer"},
        "mistakes": {"type": "integer"},
        "bound": {"type": ["number", "null"]},
        "serving": {"type": "string"},
    },
}
_REFIT = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "rows": {"type": "integer", "minimum": 2, "maximum": 1_000_000},
        "C": {"type": "number", "exclusiveMinimum": 0, "maximum": 1e9},
        "tol": {"type": "number", "exclusiveMinimum": 0, "maximum": 0.1},
        "max_time": {"type": "number", "exclusiveMinimum": 0, "maximum": 86400},
        "kernel": {"enum": ["linear", "rbf", "poly", "laplacian"]},
        "gamma": {"oneOf": [{"enum": ["scale", "auto"]}, {"type": "number", "exclusiveMinimum": 0}]},
    },
}
_ROLLBACK = {
    "type": "object",
    "additionalProperties": False,
    "properties": {"version": {"type": "string"}, "rows": {"type": "integer", "minimum": 0}},
}
_OBJECT: dict[str, Any] = {"type": "object"}
_NDJSON_LINE = 'A line is {"x": [numbers], "y": label}; all lines have a label, or none.'
_ARROW = "An uncompressed Arrow stream: the column y holds the labels, the others are the columns of X."

#: path, method, scope, summary, schema of the body or None, schema of the answer, its content type, other statuses
_TABLE: list[tuple[str, str, str | None, str, Any, Any, str, str]] = [
    ("/v2", "get", "read", "Metadata of the server", None, _OBJECT, "json", ""),
    ("/v2/health/live", "get", None, "Does the process live?", None, _OBJECT, "json", ""),
    ("/v2/health/ready", "get", None, "Can it be asked?", None, _OBJECT, "json", ""),
    ("/v2/models", "get", "read", "The models there are", None, _OBJECT, "json", ""),
    ("/v2/models/{model}", "get", "read", "Metadata of a model", None, _OBJECT, "json", "404"),
    ("/v2/models/{model}/ready", "get", "read", "Can it be asked?", None, _OBJECT, "json", "404"),
    (
        "/v2/models/{model}/infer",
        "post",
        "read",
        "Predict rows",
        "Rows",
        "Answer",
        "json",
        "400 404 409 413 415 507",
    ),
    (
        "/v2/models/{model}/learn",
        "post",
        "learn",
        "Predict rows, then learn them; 200 means durable",
        "Rows",
        "Answer",
        "json",
        "400 404 409 413 415 429 503 507",
    ),
    ("/v2/models/{model}/stats", "get", "read", "Numbers of a model", None, "Stats", "json", "404"),
    (
        "/v2/models/{model}/history",
        "get",
        "read",
        "Mistakes against the bound",
        None,
        _OBJECT,
        "json",
        "404 409",
    ),
    (
        "/v2/models/{model}/wrong",
        "get",
        "read",
        "The last rows predicted wrongly",
        None,
        _OBJECT,
        "json",
        "404 409",
    ),
    (
        "/v2/models/{model}/rows",
        "get",
        "read",
        "Rows of the log, exact",
        None,
        {"type": "string"},
        "csv",
        "400 404 409 410",
    ),
    (
        "/v2/models/{model}/certificate",
        "get",
        "read",
        "The proof of the last refit",
        None,
        _OBJECT,
        "json",
        "400 404 409",
    ),
    (
        "/v2/models/{model}/refit",
        "post",
        "admin",
        "Begin a refit",
        _REFIT,
        _OBJECT,
        "json",
        "202 400 404 409 413 415",
    ),
    (
        "/v2/models/{model}/rollback",
        "post",
        "admin",
        "Go back",
        _ROLLBACK,
        _OBJECT,
        "json",
        "400 404 409 413 415 503 507",
    ),
    (
        "/v2/models/{model}/reload",
        "post",
        "admin",
        "Read the file again",
        None,
        _OBJECT,
        "json",
        "404 409 413",
    ),
    (
        "/v2/models/{model}/snapshot",
        "post",
        "admin",
        "Write a snapshot",
        None,
        _OBJECT,
        "json",
        "404 409 413 503",
    ),
    ("/metrics", "get", "read", "Numbers for Prometheus", None, {"type": "string"}, "text", ""),
]
_TYPES = {"json": "application/json", "csv": "text/csv", "text": "text/plain"}


def _schema(value: Any) -> Any:
    return {"$ref": f"#/components/schemas/{value}"} if isinstance(value, str) else value


def document() -> dict[str, Any]:
    """The whole document."""
    paths: dict[str, Any] = {}
    for path, method, scope, summary, body, answer, kind, statuses in _TABLE:
        codes = statuses.split()
        good = "202" if "202" in codes else "200"
        answers: dict[str, Any] = {
            good: {"description": "Done.", "content": {_TYPES[kind]: {"schema": _schema(answer)}}}
        }
        refused = [code for code in codes if code != good] + (["401", "403"] if scope else [])
        for code in [*refused, "421"]:
            answers[code] = {"$ref": "#/components/responses/Refused"}
        operation: dict[str, Any] = {
            "summary": summary,
            "operationId": path.strip("/").replace("/", "-").replace("{model}", "model"),
            "responses": answers,
            "security": [{"token": []}] if scope else [],
        }
        if scope:
            operation["description"] = f"Needs the scope {scope}, where the server has tokens."
        parameters: list[dict[str, Any]] = []
        if "{model}" in path:
            parameters.append({"name": "model", "in": "path", "required": True, "schema": {"type": "string"}})
        if path.endswith("/learn"):
            key = {"type": "string", "minLength": 1, "maxLength": 200}
            parameters.append({"name": "Idempotency-Key", "in": "header", "schema": key})
        if path.endswith("/rows"):
            number = {"type": "integer", "minimum": 0}
            parameters += [{"name": name, "in": "query", "schema": number} for name in ("first", "last")]
        if path.endswith("/certificate"):
            parameters.append({"name": "problem", "in": "query", "schema": {"type": "string"}})
        operation["parameters"] = parameters
        if body is not None:
            content = {"application/json": {"schema": _schema(body)}}
            if body == "Rows":
                text = {"type": "string", "description": _NDJSON_LINE}
                content["application/x-ndjson"] = {"schema": text}
                octets = {"type": "string", "format": "binary", "description": _ARROW}
                content["application/vnd.apache.arrow.stream"] = {"schema": octets}
            operation["requestBody"] = {"required": body == "Rows", "content": content}
        paths.setdefault(path, {})[method] = operation
    refused_schema = {
        "type": "object",
        "required": ["error"],
        "properties": {"error": {"type": "string"}, "hint": {"type": "string"}},
    }
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "separatrix serve",
            "version": __version__,
            "description": "Predictions by the Open Inference Protocol v2, and learning that loses nothing.",
        },
        "paths": paths,
        "components": {
            "schemas": {"Tensor": _TENSOR, "Rows": _ROWS, "Answer": _ANSWER, "Stats": _STATS},
            "responses": {
                "Refused": {
                    "description": "A sentence says why.",
                    "content": {"application/json": {"schema": refused_schema}},
                }
            },
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }
