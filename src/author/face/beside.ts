/**
 * Calls on one row that name, beside it, what it hangs under: `{channel, ts}`. Where the calls that take rows away do so, the other
 * name writes nothing: the row must hang there.
 */
import type { Step } from '../../artifacts/step.js';
import { snake } from '../../kit/words.js';
import type { Sighting } from '../openapi/sightings.js';
import type { Subject } from './draft.js';
import { addInput, type Inputs } from './inputs.js';
import { originOf } from './origin.js';

export interface Beside {
  /** Columns that the call only compares. */
  cols: ReadonlySet<string>;
  /** Run once the row is bound as `row`. */
  steps: Step[];
}

/** What a call takes at the top of its body, or in its query. */
const namesIn = ({ op, body }: Sighting): string[] => [
  ...op.params.flatMap(({ in: where, name }) => (where === 'query' ? [name] : [])),
  ...(body && !body.many && body.path.length === 0 ? body.item.properties.keys() : []),
];

export const besideKey = (inputs: Inputs, subject: Subject): Beside => {
  const { entity, sighting, context } = subject;
  const { facts, keyCol } = entity.columns;
  const deletes = entity.resource.sightings.filter(({ kind, keyElsewhere }) => kind === 'delete' && keyElsewhere);
  if (!sighting.keyElsewhere || deletes.length === 0) return { cols: new Set(), steps: [] };
  const cols = new Set<string>();
  const steps: Step[] = [];
  for (const name of namesIn(sighting)) {
    const col = snake(name);
    const column = facts.get(col)?.column;
    if (column?.fk === undefined || column.hidden || col === keyCol) continue;
    if (!deletes.every((one) => namesIn(one).includes(name))) continue;
    const origin = originOf(sighting, name, context.schemas);
    if (!origin) continue;
    cols.add(col);
    const arg = addInput(inputs, col, { type: column.type, role: 'input', col, ref: column.fk }, origin);
    steps.push({
      require: [
        {
          that: `!has(args.${arg}) || row.${col} == null || row.${col} == args.${arg}`,
          error: 'not_found',
          message: `There is no such ${entity.table.noun} under {args.${arg}}.`,
          field: arg,
        },
      ],
    });
  }
  return { cols, steps };
};
