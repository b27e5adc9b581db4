/** Semantic acceptance (weft.txt 3.2.1): a model says whether a reference does what its brief asks. It sees no checks. */
import { z } from 'zod';
import type { Desk } from '../../author/model/desk.js';
import { ask } from './ask.js';
import { DATA_RULE, marked } from './marked.js';

const Verdict = z.object({ does: z.boolean(), reason: z.string().max(2_000) });

const SYSTEM = `You check the work of an assistant. You are told a request, the company's rules, the calls that were made for it, what is different in the records in the end, and the reply.
Say whether exactly what was asked for was done: the records that were meant, the values that were asked for, nothing left out, nothing else changed, and a reply that answers what was asked. Where a rule forbids what was asked, the right work is to change nothing and to say why.
What a service changes by itself as part of an action that was asked for (a total, a status, a timestamp) is part of that action.
${DATA_RULE}
Answer with one JSON object and nothing else: {"does": true, "reason": "..."} or {"does": false, "reason": "what is missing or wrong"}.`;

/** `unclear`: there is no verdict, and why. */
export type Semantic = { does: boolean; reason: string } | { unclear: string };

/** The verdict on what `accountOf` says. Throws what an endpoint says that never answered. */
export const judgeTask = async (desk: Desk, id: string, account: string): Promise<Semantic> => {
  if (desk.ended) return { unclear: desk.ended.why };
  const said = await ask(desk, {
    part: `verdict on ${id}`,
    system: SYSTEM,
    prompt: marked('record', account),
    form: Verdict,
    read: Verdict,
  });
  return 'why' in said ? { unclear: said.why } : { does: said.value.does, reason: said.value.reason.slice(0, 400) };
};
