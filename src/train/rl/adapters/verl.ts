/** treadle_verl.py: an agent loop for verl that opens a session of the row's task and asks the server for the reward. */
export const VERL_ADAPTER = String.raw`"""An agent loop of verl for Treadle's rows: agent_name "treadle_agent", tools of the row, reward of the server."""
import asyncio
import json

from treadle_client import ScriptedUser, ServerError, Session
from verl.experimental.agent_loop.agent_loop import register
from verl.experimental.agent_loop.tool_agent_loop import AgentState, ToolAgentLoop
from verl.tools.schemas import OpenAIFunctionToolSchema, ToolResponse


class _Tool:
    """verl makes and releases a tool for each call; what lasts is the session."""

    def __init__(self, session, schema):
        self._session = session
        self.tool_schema = OpenAIFunctionToolSchema.model_validate(schema)
        self.name = schema["function"]["name"]

    async def create(self, **_):
        return self.name, ToolResponse()

    async def execute(self, instance_id, parameters, **_):
        text, _failed = await asyncio.to_thread(self._session.call, self.name, parameters)
        return ToolResponse(text=text), 0.0, {}

    async def release(self, instance_id, **_):
        pass


@register("treadle_agent")
class TreadleAgentLoop(ToolAgentLoop):
    async def run(self, sampling_params, **row):
        about = row["extra_info"]["tools_kwargs"]["treadle"]["create_kwargs"]
        session = await asyncio.to_thread(Session, about["server"], about["task"], scenario=about.get("scenario"))
        self._user = None
        script = (row["extra_info"].get("interaction_kwargs") or {}).get("script")
        if script:
            self._user = ScriptedUser(script)
        try:
            schemas = json.loads(row["tools"])
            tools = [_Tool(session, schema) for schema in schemas]
            self.tools = {tool.name: tool for tool in tools}
            self.tool_schemas = schemas
            self._ended = False
            output = await super().run(sampling_params, **row)
            # A rollout that a limit cut gave no answer; what it did to the state is judged all the same.
            text = await asyncio.to_thread(self.tokenizer.decode, self._last, skip_special_tokens=True) if self._ended else ""
            replies = self._user.replies if self._user else [text]
            output.reward_score = await asyncio.to_thread(session.finish, "\n".join(filter(None, replies)))
            output.extra_fields["milestones"] = session.milestones
            return output
        except ServerError:
            # No reward is made up for a server that failed.
            raise
        finally:
            await asyncio.to_thread(session.close)

    async def _handle_generating_state(self, agent_data, sampling_params, ignore_termination=False):
        agent_data.tool_calls = []  # Those of the turn before must not speak for this one.
        state = await super()._handle_generating_state(agent_data, sampling_params, ignore_termination)
        self._last = agent_data.response_ids
        is_cut = len(agent_data.response_mask) >= self.response_length
        self._ended = state == AgentState.TERMINATED and not agent_data.tool_calls and not is_cut
        if not self._ended or self._user is None:
            return state
        text = await asyncio.to_thread(self.tokenizer.decode, self._last, skip_special_tokens=True)
        says = self._user.reply(text)
        if says is None:
            return state
        message = {"role": "user", "content": says}
        agent_data.messages.append(message)
        ids = await self.apply_chat_template([message], remove_system_prompt=True)
        if len(agent_data.response_mask) + len(ids) >= self.response_length:
            return state
        agent_data.prompt_ids += ids
        agent_data.response_mask += [0] * len(ids)
        if agent_data.response_logprobs:
            agent_data.response_logprobs += [0.0] * len(ids)
        agent_data.user_turns += 1
        return AgentState.GENERATING
`;
