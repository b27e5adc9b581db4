/** treadle_client.py: the OpenEnv door for trainers written in Python; standard library only. It goes beside verl's and TRL's rows. */
export const CLIENT = String.raw`"""A session of a task on a running "treadle serve --openenv-port". Standard library only.

    with Session(row["server"], row["task"]) as session:  # or scenario="...", a task with events
        text, failed = session.call("list_invoices", {"status": "overdue"})
        reward = session.finish("3")
"""
import json
import os
import time
import urllib.error
import urllib.request
import uuid
from urllib.parse import urlsplit

MOST_CHARS = 16_000  # of a tool's result, as in Treadle's own rollouts
TRIES = 4


class ServerError(Exception):
    """The server refused or could not be reached: no fault of the policy, so no reward either."""

    def __init__(self, message, status=None):
        super().__init__(message)
        self.status = status


def shown(result):
    """What a policy sees of a result: compact JSON, texts as they are, cut where it is too long."""
    text = result if isinstance(result, str) else json.dumps(result, ensure_ascii=False, separators=(",", ":"))
    return text if len(text) <= MOST_CHARS else f"{text[:MOST_CHARS]}\n[cut: {MOST_CHARS} of {len(text)} characters shown]"


def noticed(notice):
    """What a scenario's event tells, in the words that every protocol uses where it comes with a result."""
    return ("[Message from the user] " if notice["from"] == "user" else "[Notification] ") + notice["text"]


class Session:
    """One episode. Not for several threads at a time; open as many sessions as there are rollouts."""

    def __init__(self, server, task=None, token=None, timeout=300, labels=None, scenario=None):
        self.server = server.rstrip("/")
        self.task = task
        self.timeout = timeout
        self.reward = None
        self.milestones = None
        self.invalid = False
        token = token or os.environ.get("TREADLE_GYM_TOKEN")
        self._headers = {"content-type": "application/json"}
        if token:
            self._headers["authorization"] = f"Bearer {token}"
        near = urlsplit(self.server).hostname in ("127.0.0.1", "localhost", "::1")
        # A proxy of the environment cannot reach this machine's own doors.
        self._opener = urllib.request.build_opener(*([urllib.request.ProxyHandler({})] if near else []))
        named = {"task": task, "scenario": scenario, "labels": labels}
        begun = self._post("/reset", {key: value for key, value in named.items() if value})
        self.id = begun["metadata"]["session_id"]
        self.brief = begun["observation"].get("brief")

    def _post(self, path, body):
        data = json.dumps(body).encode()
        for attempt in range(TRIES):
            try:
                request = urllib.request.Request(self.server + path, data, self._headers)
                with self._opener.open(request, timeout=self.timeout) as answer:
                    return json.load(answer)
            except urllib.error.HTTPError as error:
                said = error.read(4096).decode(errors="replace")
                if error.code != 503 or attempt == TRIES - 1:
                    raise ServerError(f"{path}: {error.code} {said}", error.code) from None
                time.sleep(float(error.headers.get("retry-after") or 1))
            except (urllib.error.URLError, ConnectionError, TimeoutError) as error:
                if attempt == TRIES - 1:
                    raise ServerError(f"{path}: {error}") from None
                time.sleep(0.5 * 2**attempt)

    def _step(self, action):
        # The name lets the server answer a request that is sent again without doing it again.
        return self._post("/step", {"session_id": self.id, "action": action, "request_id": uuid.uuid4().hex})

    def tools(self):
        """As [{name, description, input_schema}]; the tool named finish ends the episode."""
        return self._step({"type": "list_tools"})["observation"]["tools"]

    def call(self, tool, arguments):
        """(what the policy sees, whether it was an error). A policy's mistake is an answer, never an exception."""
        observation = self._step({"type": "call_tool", "tool_name": tool, "arguments": arguments})["observation"]
        said = [noticed(notice) for notice in observation.get("notices", [])]
        return "\n\n".join([shown(observation["result"]), *said]), observation.get("error") is not None

    def finish(self, answer=""):
        """Judges the session as it stands: 1.0 or 0.0, and None where the verifier broke. Asked again: the same."""
        if self.reward is None and not self.invalid:
            result = self._step({"type": "finish", "answer": answer})
            self.milestones = result["metadata"].get("milestones")
            self.invalid = "invalid" in result["metadata"]
            self.reward = None if self.invalid else float(result["reward"])
        return self.reward

    def close(self):
        body = {"jsonrpc": "2.0", "id": 1, "method": "openenv/session/close", "params": {"session_id": self.id}}
        try:
            self._post("/mcp", body)
        except ServerError:
            pass  # It closes itself when nobody uses it.

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class ScriptedUser:
    """Plays a row's script by rules: one stage after the other, answering what is asked, with a patience of five questions."""

    def __init__(self, script, patience=5):
        self.stages = (json.loads(script) if isinstance(script, str) else script)["stages"]
        self.patience = patience
        self.stage = 0
        self.asked = 0
        self.replies = []

    def reply(self, text):
        """What the user says to a reply without a tool call; None: the conversation is over."""
        stage = self.stages[self.stage]
        words = text.lower()
        if "?" in text and self.asked < self.patience:
            self.asked += 1
            told = [fact["says"] for fact in stage["facts"] if any(name.lower() in words for name in fact["asked"])]
            if told:
                return " ".join(told)
            if any(name.lower() in words for name in stage["unknown"]):
                return "I do not know that; please look it up."
            rest = [fact["says"] for fact in stage["facts"]]
            return " ".join(rest) if rest else "That is all I can tell you."
        self.replies.append(text)
        self.stage += 1
        self.asked = 0
        return self.stages[self.stage]["request"] if self.stage < len(self.stages) else None
`;
