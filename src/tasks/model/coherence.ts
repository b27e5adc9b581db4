/** Whether services make one business objective, judged by a model (weft.txt 3.1.2): after the rules, once for each set of services. */
import { z } from 'zod';
import type { Desk } from '../../author/model/desk.js';
import { type Judge, ruleJudge } from '../compose/sample.js';
import type { SupplyService } from '../compose/supply.js';
import { ask } from './ask.js';
import { cut, DATA_RULE, marked } from './marked.js';

const Verdict = z.object({ coherent: z.boolean(), objective: z.string().max(1_000), reason: z.string().max(1_000) });

const SYSTEM = `You are told which services of a company one long task would use. Say whether there is one business objective that a single employee could plausibly pursue with all of them, each for a purpose of its own.
${DATA_RULE}
Answer with one JSON object and nothing else: {"coherent": true, "objective": "what the employee wants", "reason": ""} or {"coherent": false, "objective": "", "reason": "which service has no place in it"}.`;

export interface CoherenceTally {
  asked: number;
  rejected: number;
  /** Sets without a verdict: the rules' word stands. */
  unclear: number;
}

const lineOf = ({ id, archetype, domain, about }: SupplyService): string =>
  `- ${id === archetype ? id : `${id} (${archetype})`}, ${domain}: ${cut(about ?? '', 300)}`;

/** A judge for the sampler. Sets that look the same to the model cost one call, in whichever world they are. */
export const modelJudge = (desk: Desk, tally: CoherenceTally): Judge => {
  const known = new Map<string, string | undefined>();
  return async (supply, services) => {
    const byRule = await ruleJudge(supply, services);
    if (byRule !== undefined) return byRule;
    const lines = services.map(lineOf).sort().join('\n');
    if (known.has(lines)) return known.get(lines);
    if (desk.ended) return undefined;
    tally.asked++;
    const said = await ask(desk, {
      part: 'coherence of services',
      system: SYSTEM,
      prompt: marked('services', lines),
      form: Verdict,
      read: Verdict,
    });
    const verdict =
      'why' in said || said.value.coherent ? undefined : said.value.reason.slice(0, 300) || 'no objective';
    if ('why' in said) tally.unclear++;
    if (verdict !== undefined) tally.rejected++;
    known.set(lines, verdict);
    return verdict;
  };
};
