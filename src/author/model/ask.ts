/** One part of a world asked of the model until it is right, with what is wrong sent back each time. */
import type { z } from 'zod';
import { sha256 } from '../../kit/hash.js';
import type { ChatMessage } from '../../models/types.js';
import { type Desk, turn } from './desk.js';
import { SYSTEM } from './prompts.js';
import { readLenient } from './text/lenient.js';
import type { Issue } from './types.js';

export interface Part {
  /** `plan`, `tables.lending`, `actions.lending.loan`. */
  id: string;
  prompt: string;
  answer: z.ZodType;
  /**
   * Takes what is sound of an answer and says what is not; it gathers over the rounds, so a later answer may hold only what was
   * wrong. Must not throw.
   */
  read(value: unknown): Issue[];
}

/** Answers to one part that are asked for before it is left as it is. */
export const MOST_ROUNDS = 4;
const MOST_SAID = 10;
const MOST_REPEATED = 3_000;
const SAME_AGAIN = 2;

const listed = (issues: readonly Issue[]): string =>
  issues
    .slice(0, MOST_SAID)
    .map(({ at, why, hint }, n) => `${n + 1}. ${at}: ${why}${hint ? ` ${hint}` : ''}`)
    .join('\n');

const repairPrompt = (issues: readonly Issue[], stalled: boolean): string =>
  `${stalled ? 'This is the same answer as before, and it is still wrong.\n' : ''}Not right yet:\n${listed(issues)}\nAnswer with one JSON object of the same form that holds only the corrected entries; what is not named above is kept.`;

const lastOf = (content: string): string =>
  content.length > MOST_REPEATED ? `${content.slice(0, MOST_REPEATED)} ...` : content;

const readReply = (part: Part, content: string, isCut: boolean): { issues: Issue[]; address: string } => {
  const read = readLenient(content);
  const cutIssue: Issue[] = isCut
    ? [
        {
          at: part.id,
          why: 'the answer was cut off at the token limit.',
          hint: 'Write less: only what is asked, in short texts.',
        },
      ]
    : [];
  if ('why' in read)
    return {
      issues: [
        { at: part.id, why: `${read.why}.`, hint: 'Answer with one JSON object and nothing else.' },
        ...cutIssue,
      ],
      address: sha256(content),
    };
  const found = part.read(read.value);
  // What was cut off only matters where something is wrong or missing.
  const issues = found.length > 0 ? [...found, ...cutIssue] : [];
  return { issues, address: sha256(content) };
};

/** Asks until nothing is wrong, the rounds are used, the model repeats itself, or the desk is closed. Gives what is still wrong. */
export const askPart = async (desk: Desk, part: Part, known: readonly Issue[] = []): Promise<Issue[]> => {
  let issues: Issue[] = [...known];
  let answer: string | undefined;
  let last: string | undefined;
  let same = 0;
  for (let round = 1; round <= MOST_ROUNDS; round++) {
    const messages: ChatMessage[] = [
      { role: 'system', content: SYSTEM },
      {
        role: 'user',
        content:
          answer === undefined && issues.length > 0 ? `${part.prompt}\n\n${repairPrompt(issues, false)}` : part.prompt,
      },
    ];
    if (answer !== undefined)
      messages.push(
        { role: 'assistant', content: lastOf(answer) },
        { role: 'user', content: repairPrompt(issues, same > 0) },
      );
    desk.say(`${part.id}${round > 1 ? `, repair ${round - 1}` : ''}`);
    const said = await turn(desk, { part: part.id, round, messages, answer: part.answer });
    if (!said.ok) {
      if (said.code !== 'context_exceeded' || answer === undefined) break;
      answer = undefined;
      continue;
    }
    const read = readReply(part, said.reply.content, said.reply.finish === 'length');
    issues = read.issues;
    desk.conversation.write({
      kind: 'judged',
      turn: desk.turns - 1,
      part: part.id,
      round,
      ok: issues.length === 0,
      issues,
    });
    if (issues.length === 0) return [];
    same = read.address === last ? same + 1 : 0;
    if (same >= SAME_AGAIN) break;
    last = read.address;
    answer = said.reply.content;
  }
  return issues.length > 0 ? issues : [{ at: part.id, why: desk.ended?.why ?? 'it was not answered' }];
};
