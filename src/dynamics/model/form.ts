/** What a model writes of one event: flat and small, so that small models can; the rest follows from running it. */
import { z } from 'zod';
import { DATA_RULE } from '../../tasks/model/marked.js';

const count = z.number().int().min(0).max(200);
const args = z.record(z.string(), z.json());

/** What is taken of an answer: what is not said is null or left out. */
export const WrittenEvent = z.object({
  source: z.enum(['requirement', 'state', 'fault', 'none']),
  after: count.default(0),
  say: z.string().max(2_000).nullish(),
  to: z.enum(['user', 'environment', 'none']).nullish(),
  row: z.string().max(40).nullish(),
  col: z.string().max(80).nullish(),
  value: z.json().optional(),
  tool: z.string().max(200).nullish(),
  times: count.nullish(),
  from: count.nullish(),
  drop: count.nullish(),
  insert: z
    .array(z.object({ tool: z.string().max(200), args }))
    .max(20)
    .nullish(),
});
export type WrittenEvent = z.infer<typeof WrittenEvent>;

/** What endpoints are asked to keep to: every field, without the recursion of JSON values, which some of them do not take. */
export const EventForm = z.object({
  source: z.enum(['requirement', 'state', 'fault', 'none']),
  after: z.number(),
  say: z.string().nullable(),
  to: z.enum(['user', 'environment', 'none']),
  row: z.string().nullable(),
  col: z.string().nullable(),
  value: z.union([z.string(), z.number(), z.boolean(), z.null()]),
  tool: z.string().nullable(),
  times: z.number().nullable(),
  from: z.number().nullable(),
  drop: z.number().nullable(),
  insert: z.array(z.object({ tool: z.string(), args: z.record(z.string(), z.unknown()) })),
});

export const SYSTEM = `You make the work of an assistant dynamic: while it does what an employee asked for, one thing happens that changes what is right. You write that one event, and what the assistant has to do then.
Answer with one JSON object of the asked form and nothing else: no prose, no code, no comments.
${DATA_RULE}`;

export const RULES = `Sources:
- "requirement": whoever asked wants something else after all, before it is done. "say" is what they say, with "to":"user".
- "state": somebody outside changed a row: "row" (a label of the rows, such as R2), "col" and its new "value", written as the rows show them. "say" with "to":"user" or "environment" tells of it; with "to":"none" the assistant has to see it in what a later call shows.
  Whoever has not looked yet sees the new value anyway: where the answer changes, let it come after the last look, and look again ("from" behind the last call, "drop":0).
- "fault": "tool" fails "times" times (1 to 3), then works again; "to" is "none".
- {"source":"none"} where nothing more could plausibly happen.
The rest:
- "after": the event comes once call number "after" is done (from 1), before the call that it changes.
- "from", "drop", "insert": the calls as they have to be then: from call number "from" on, "drop" calls fall away and those of "insert" come in their place. A row's id among arguments is written as its label ("R2").
- The old calls must turn out wrong, and the new ones right. What the new calls say must be said by somebody or shown by a call before them.
- "say" is one or two sentences of a person in business: no ids, no tool names, no answer to what was asked.
Example: {"source":"requirement","after":1,"say":"Sorry, please make that 15 May 2026 instead.","to":"user","row":null,"col":null,"value":null,"tool":null,"times":null,"from":2,"drop":1,"insert":[{"tool":"billing_update_invoice","args":{"id":"R1","due_date":"2026-05-15"}}]}`;
