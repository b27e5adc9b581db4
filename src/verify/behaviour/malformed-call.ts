/** Tool calls that are none. */
import { type BehaviourFlag, callsOf, shortened, turnsOf } from './flag.js';

/** Tool-call markup of the usual chat templates: in a text it is a call that its parser did not take for one. */
const MARKUP = /<\/?tool_call>|<function=\w|\[TOOL_CALLS\]|<\|python_tag\|>|<\|tool_calls?_begin\|>/;

/**
 * A turn is flagged for each call whose arguments were no JSON object (`malformed` in the trace), for a call without a name, and
 * when its text holds tool-call markup of a chat template. Arguments that are an object and not the right one are an interface
 * violation instead.
 */
export const malformedCall: BehaviourFlag = {
  id: 'malformed_call',
  says: 'a tool call could not be read as one',
  sightings: (trace) => [
    ...callsOf(trace).flatMap(({ turn, call }) => {
      if (call.malformed !== undefined)
        return [{ turn, evidence: `the arguments of ${shortened(call.name)} are ${shortened(call.malformed)}` }];
      return call.name.trim() === '' ? [{ turn, evidence: 'a call without a name' }] : [];
    }),
    ...turnsOf(trace).flatMap(({ turn, message }) => {
      const markup = MARKUP.exec(message.content)?.[0];
      return markup ? [{ turn, evidence: `the text holds ${markup}` }] : [];
    }),
  ],
};
