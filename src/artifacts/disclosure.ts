/** Disclosure: what the user of a task knows, what has to be looked up, and when it may be said (weft.txt 3.1.3, "Task views"). */
import { z } from 'zod';
import { Name } from './table.js';

/** How explicit a request is, the least first. */
export const DETAILS = ['vague', 'partial', 'full'] as const;
export const Detail = z.enum(DETAILS);

/** Who asks: shapes the words, never what is asked for. */
export const Persona = z.strictObject({
  /** The manner of speaking, as src/tasks/words/tone.ts knows it: `in a hurry`, `formal`. */
  manner: z.string().min(1),
  /** What the person is in the company. */
  role: z.string(),
  tone: z.enum(['friendly', 'plain', 'pressed', 'courteous', 'unsure']),
  verbosity: z.enum(['terse', 'normal', 'wordy']),
  register: z.enum(['casual', 'neutral', 'formal']),
  /** Questions in a row without use to which the person still answers before ending the conversation. */
  patience: z.number().int().min(1).max(9),
});

/** What a fact is for: a descriptor of a bound row, or an argument (dotted path) of a reference call. */
export const Feed = z.union([
  z.strictObject({ binding: Name, col: Name }),
  z.strictObject({ call: z.number().int().min(0), arg: z.string() }),
]);

/** Something the user knows and an agent cannot find out unless it is said. */
export const Fact = z.strictObject({
  id: Name,
  /** As the full request says it: `EUR 1,284.50`. */
  words: z.string().min(1),
  /** The sentence with which the user tells it. */
  says: z.string().min(1),
  /** What a question names when it asks for it: `due date`, `customer`. */
  asked: z.array(z.string().min(1)).min(1),
  feeds: z.array(Feed),
  /** The least explicit detail in which the request itself says it; below, it is said when it is asked for. */
  given: Detail,
  /** Not before this stage has ended; absent: from its own stage on. */
  after: Name.optional(),
  /** Less explicit words that still mean one thing in this world, and a look-up that finds it by them: for briefs without a user to ask. */
  loose: z.string().min(1).optional(),
});

/** What an agent may ask for and the user cannot say: ids, the answer, what an earlier stage brings up. */
export const Unknown = z.strictObject({
  id: Name,
  asked: z.array(z.string().min(1)).min(1),
  /** The stage in which it is found. */
  from: Name.optional(),
});

/** One request: a node's worth of the task in three degrees of explicitness, and what the user can say beyond it. */
export const Stage = z.strictObject({
  node: Name,
  full: z.string().min(1),
  partial: z.string().min(1),
  vague: z.string().min(1),
  /** A plain text is a fact that is asked for by its own words (tasks written by hand). */
  facts: z.array(z.union([z.string(), Fact])),
  unknown: z.array(Unknown).optional(),
});

/** Stages in the order in which they are asked for: a topological order of the task's nodes. */
export const Disclosure = z.strictObject({
  /** A plain text is a manner (tasks written by hand). */
  persona: z.union([z.string(), Persona]),
  stages: z.array(Stage),
  /** The whole brief in fewer words, where nobody can be asked: only what the world lets be looked up is less explicit. */
  briefs: z.strictObject({ partial: z.string().min(1), vague: z.string().min(1) }).optional(),
});

export type Detail = z.infer<typeof Detail>;
export type Persona = z.infer<typeof Persona>;
export type Feed = z.infer<typeof Feed>;
export type Fact = z.infer<typeof Fact>;
export type Unknown = z.infer<typeof Unknown>;
export type Stage = z.infer<typeof Stage>;
export type Disclosure = z.infer<typeof Disclosure>;
