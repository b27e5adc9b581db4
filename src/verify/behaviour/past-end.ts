/** Going on after the end (AgentMercury: "continuation"). */
import type { Message } from '../../artifacts/trace.js';
import { type BehaviourFlag, type Sighting, turnsOf } from './flag.js';

/** The tool by which a harness takes the answer (rollout/submit.ts). */
const SUBMIT = 'submit_answer';

/** End-of-turn and role tokens of the usual chat templates: who writes one has written past its own turn. */
const TOKEN =
  /<\|(?:im_start|im_end|endoftext|eot_id|end_of_text|start_header_id|user|assistant|end)\|>|<\/s>|<(?:end|start)_of_turn>|\[\/?INST\]/;

/** A speaker's name at the start of a further line: the model plays the other side too. Linear, however long the text. */
const SPEAKER = /\n(?:\*\*)?(?:User|Human|Customer|Tool|Observation)(?:\*\*)?:\s/;

const inText = ({ content }: Message): string | undefined => {
  const token = TOKEN.exec(content)?.[0];
  if (token !== undefined) return `the text holds ${token}`;
  return SPEAKER.test(content.trimStart()) ? 'the text goes on with what the other side would say' : undefined;
};

/**
 * A turn is flagged when it calls a tool after the answer was submitted in it (each such call), or when its text holds a
 * template's end-of-turn or role token, or a line that begins with another speaker's name after something was said. Turns that
 * were used up without an answer are `truncation`.
 */
export const pastEnd: BehaviourFlag = {
  id: 'past_end',
  says: 'the agent went on after its turn or its answer had ended',
  sightings: (trace) =>
    turnsOf(trace).flatMap(({ turn, message }): Sighting[] => {
      const calls = message.toolCalls ?? [];
      const submitted = calls.findIndex(({ name }) => name === SUBMIT);
      const after = submitted < 0 ? [] : calls.slice(submitted + 1);
      const said = inText(message);
      return [
        ...after.map(({ name }) => ({ turn, evidence: `calls ${name} after the answer was submitted` })),
        ...(said ? [{ turn, evidence: said }] : []),
      ];
    }),
};
