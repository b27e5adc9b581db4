/** treadle_trl.py: an environment class for TRL's `environment_factory`, its tool methods made of the rows' tools. */
export const TRL_ADAPTER = String.raw`"""Treadle's tasks as environments of TRL's GRPOTrainer (environment_factory)."""
import inspect
import json
import typing

from treadle_client import Session

PLAIN = {"string": str, "integer": int, "number": float, "boolean": bool, "object": dict, "array": list}


def _hint(schema):
    kind = schema.get("type")
    if isinstance(kind, list):
        kind = next((each for each in kind if each != "null"), None)
    if kind == "array" and isinstance(schema.get("items"), dict):
        return list[_hint(schema["items"])]
    return PLAIN.get(kind, str)


def _said(schema):
    text = " ".join(str(schema.get("description") or "See the tool.").split())
    return f"{text} (choices: {json.dumps(schema['enum'])})" if schema.get("enum") else text


def _method(function):
    """A method with the name, types and docstring that the trainer makes a tool's schema of."""
    name = function["name"]
    schema = function["parameters"]
    needed = schema.get("required", [])
    properties = dict(sorted(schema.get("properties", {}).items(), key=lambda item: item[0] not in needed))

    def method(self, **arguments):
        return self._call(name, {key: value for key, value in arguments.items() if value is not None})

    parameters = [inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
    hints = {"return": str}
    for key, each in properties.items():
        hint = _hint(each)
        hints[key] = hint if key in needed else typing.Optional[hint]
        default = inspect.Parameter.empty if key in needed else None
        parameters.append(
            inspect.Parameter(key, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hints[key])
        )
    arguments = "".join(f"\n            {key}: {_said(each)}" for key, each in properties.items())
    method.__name__ = method.__qualname__ = name
    method.__doc__ = " ".join(function["description"].split()) + (f"\n\n        Args:{arguments}" if arguments else "")
    method.__annotations__ = hints
    method.__signature__ = inspect.Signature(parameters, return_annotation=str)
    return method


class TreadleEnvironment:
    """One rollout at a time; its public methods are the tools, as the trainer wants it."""

    def __init__(self):
        self._session = None
        self._offered = frozenset()

    def reset(self, **row):
        self._close()
        self._offered = frozenset(tool["function"]["name"] for tool in json.loads(row["tools"]))
        self._session = Session(row["server"], row["task"], scenario=row.get("scenario"))
        return None  # The prompt says all there is to say.

    def _call(self, name, arguments):
        if name not in self._offered:
            raise ValueError(f"There is no tool {name} in this task.")
        return self._session.call(name, arguments)[0]

    def _judge(self, answer):
        return None if self._session is None else self._session.finish(answer)

    def _close(self):
        if self._session is not None:
            self._session.close()
        self._session = None

    def __del__(self):
        self._close()


def environment_class(rows):
    """The environment of these rows: a method for each of their tools. Refuses tools of one name and two meanings."""
    functions = {}
    for text in {row["tools"] for row in rows}:
        for tool in json.loads(text):
            function = tool["function"]
            other = functions.setdefault(function["name"], function)
            if other != function:
                raise ValueError(
                    f"Two tools are called {function['name']}: take the rows of one toolset, or of one world, at a time"
                )
            if function["name"] == "reset" or function["name"].startswith("_"):
                raise ValueError(f"The trainer has no room for a tool called {function['name']}")
    return type("TreadleTask", (TreadleEnvironment,), {name: _method(each) for name, each in sorted(functions.items())})


def _answer(completion):
    """The last message, unless the model was still at work when it was cut."""
    last = completion[-1] if isinstance(completion, list) and completion else {}
    if isinstance(completion, str):
        return completion
    return (last.get("content") or "") if last.get("role") == "assistant" and not last.get("tool_calls") else ""


def reward(environments, completions, **_):
    """1.0 or 0.0 as the server's verifier says; None, which the trainer leaves out, where it measures nothing."""
    return [environment._judge(_answer(said)) for environment, said in zip(environments, completions)]
`;
