/** Where each argument of a reference would come from for an agent: what the customer says, what a call showed, or neither. */
import type { Call, Source } from '../../../../artifacts/task.js';
import type { Json } from '../../../../kit/hash.js';
import { pathTo } from '../../../../tasks/ground/plan.js';
import type { LoadedService } from '../../../../world/loaded.js';

type Leaf = [path: string, value: string | number | boolean];

const leaves = (value: Json, at: string): Leaf[] => {
  if (value === null) return [];
  if (typeof value !== 'object') return [[at, value]];
  return Object.entries(value).flatMap(([key, item]) => leaves(item as Json, at ? `${at}.${key}` : key));
};

/** As the text has it; customers leave the # of an order's number out. */
export const saidIn = (text: string, value: string): string | undefined => {
  const forms = value.startsWith('#') ? [value, value.slice(1)] : [value];
  return forms.find((form) => form !== '' && text.toLowerCase().includes(form.toLowerCase()));
};

/** What nobody says and nobody shows, because the agent makes it: a sum to work out, a summary in its own words, a fixed choice. */
const ownWork = (service: LoadedService, tool: string, arg: string): string | undefined => {
  if (tool === 'calculate') return 'worked out from what was said and seen';
  if (tool === 'transfer_to_human_agents') return "the agent's own words";
  const spec = service.program.tools.get(tool)?.tool;
  const column = service.spec.tables[spec?.table ?? '']?.cols[spec?.args[arg]?.col ?? ''];
  return column?.enum ? "one of the tool's choices" : undefined;
};

/**
 * One source an argument value; what comes from nowhere is claimed to be in the brief, which the gate then finds untrue. `results`
 * are those of the calls.
 */
export const sourcesOf = (
  service: LoadedService,
  brief: string,
  calls: readonly Call[],
  results: readonly Json[],
): Source[] =>
  calls.flatMap(({ tool, args }, call) =>
    leaves(args as Json, '').map(([arg, value]): Source => {
      const said = saidIn(brief, String(value));
      if (said !== undefined) return { call, arg, from: { brief: said } };
      for (let observed = call - 1; observed >= 0; observed--) {
        const path = pathTo(results[observed] ?? null, value);
        if (path !== undefined) return { call, arg, from: { observed, path } };
      }
      const constant = ownWork(service, tool, arg);
      return { call, arg, from: constant === undefined ? { brief: String(value) } : { constant } };
    }),
  );
