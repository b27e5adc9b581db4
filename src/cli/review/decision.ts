/** What a reviewer types, and what a file of decisions holds. */
import { z } from 'zod';
import { TreadleError } from '../../errors.js';

export type Typed =
  | { key: 'accept' | 'reject' | 'comment'; comment: string }
  | { key: 'skip' | 'back' | 'quit' }
  /** A rejection or comment whose words are still to come. */
  | { key: 'unsaid'; of: 'reject' | 'comment' }
  | { key: 'unknown' };

export const KEYS = '[a]ccept  [r]eject REASON  [c]omment TEXT  [s]kip  [b]ack  [q]uit';

const WORDS = ['accept', 'reject', 'comment', 'skip', 'back', 'quit'] as const;

/** Reads a line such as `a`, `reject the total is of another order`, `q`. */
export const typed = (line: string): Typed => {
  const [, first = '', rest = ''] = /^\s*(\S*)\s*(.*?)\s*$/s.exec(line) ?? [];
  const asked = first.toLowerCase();
  const key = WORDS.find((word) => asked === word || asked === word[0]);
  if (key === undefined) return { key: 'unknown' };
  if (key === 'skip' || key === 'back' || key === 'quit') return { key };
  return key !== 'accept' && rest === '' ? { key: 'unsaid', of: key } : { key, comment: rest };
};

const DecisionLine = z.strictObject({
  task: z.string().min(1),
  decision: z.enum(['accept', 'reject', 'comment', 'skip']),
  comment: z.string().default(''),
  by: z.string().min(1).optional(),
  /** An ISO instant. */
  at: z.iso.datetime({ offset: true }).optional(),
  /** The hash that was looked at; refused where the task has another one by now. */
  subject: z.string().optional(),
});
export type DecisionLine = z.infer<typeof DecisionLine>;

const bad = (file: string, line: number, why: string, value: unknown): TreadleError =>
  new TreadleError({
    code: 'bad_decision',
    message: `${file} line ${line}: ${why}`,
    value,
    next: 'A line is {"task": ID, "decision": "accept"|"reject"|"comment"|"skip", "comment": TEXT}; nothing was stored.',
  });

/** Reads a JSONL text whole; `hashOf` knows the current tasks. Throws `bad_decision` with the line before anything is used. */
export const decisionsIn = (file: string, text: string, hashOf: (task: string) => string | undefined): DecisionLine[] =>
  text.split('\n').flatMap((line, i) => {
    if (line.trim() === '') return [];
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      throw bad(file, i + 1, 'not JSON', line);
    }
    const parsed = DecisionLine.safeParse(value);
    if (!parsed.success) {
      const issue = parsed.error.issues[0];
      throw bad(file, i + 1, [issue?.path.join('.'), issue?.message].filter(Boolean).join(': '), line);
    }
    const { task, decision, comment, subject } = parsed.data;
    const hash = hashOf(task);
    if (hash === undefined) throw bad(file, i + 1, 'the corpus has no such task', task);
    if (subject !== undefined && subject !== hash) throw bad(file, i + 1, 'the task has changed since', task);
    if ((decision === 'reject' || decision === 'comment') && comment.trim() === '')
      throw bad(file, i + 1, decision === 'reject' ? 'a rejection needs a reason' : 'a comment needs words', task);
    return [parsed.data];
  });
