/** State events: what was asked about is another value now, because somebody outside changed it (DynaWeave, "environment state"). */
import type { AnswerSpec } from '../../artifacts/check.js';
import type { ScenarioEvent } from '../../artifacts/scenario.js';
import type { Binding } from '../../artifacts/task.js';
import type { Rng } from '../../kit/rng.js';
import { currencyOf, sayValue } from '../../tasks/ground/say.js';
import type { Row } from '../../world/state/types.js';
import { affectedChecks } from '../verifier/footprints.js';
import type { Candidate } from './accept.js';
import { newStored } from './new-value.js';
import { rowByKey } from './rows.js';
import { played, type Stage } from './trial.js';
import { momentBefore } from './when.js';

/** Kinds of answers that are one stored figure. */
const FIGURES = new Set<AnswerSpec['kind']>(['number', 'amount', 'date']);

const noticeOf = (noun: string): string => `Somebody in another department has just changed a ${noun}.`;

const candidate = (stage: Stage, binding: Binding, row: Row, col: string, random: Rng): Candidate | undefined => {
  const { task, world } = stage;
  const { service, table, key } = binding;
  const loaded = world.services.get(service);
  const spec = loaded?.spec.tables[table];
  const column = spec?.cols[col];
  const value = row[col];
  const { answer } = task;
  if (!loaded || !spec || !column || !answer || typeof value !== 'number' || column.fk) return undefined;
  const when = momentBefore(task, task.reference.calls.length - 1, random)?.when;
  const other = newStored(column.type, value, random);
  const said = sayValue(column, other, currencyOf(loaded.spec, spec, row));
  if (!when || said === undefined || other === value) return undefined;
  const writes = [{ service, table, key, col }];
  const checks = task.milestones.flatMap((milestone) => milestone.checks);
  const touched = affectedChecks(task.milestones, writes);
  const last = task.reference.calls.at(-1)?.tool;
  const event: ScenarioEvent = {
    id: `changed_${col}`,
    source: 'state',
    when,
    guard: [],
    needs: [],
    excludes: [],
    reads: [],
    writes,
    effect: { patch: [{ do: 'update', service, table, where: { [spec.key.col]: key }, set: { [col]: other } }] },
    notify: {
      to: 'environment',
      text: noticeOf(spec.noun.replaceAll('_', ' ')),
      ...(last ? { discoverBy: [last] } : {}),
    },
    checks: {
      retire: [],
      replace: checks.filter(({ id }) => touched.includes(id)).map((check) => ({ id: check.id, by: { ...check } })),
      add: [],
      answer: {
        is: { ...answer, expected: other, distractors: [...answer.distractors.filter((one) => one !== other), value] },
      },
    },
    reference: { insert: [], from: task.reference.calls.length, drop: 0 },
  };
  return { event, answer: said };
};

/** One candidate for each bound row that holds the answer in one of its columns. */
export const answerChanges = (stage: Stage, random: Rng): Candidate[] => {
  const { task } = stage;
  const { answer } = task;
  if (!answer || !FIGURES.has(answer.kind) || task.kind !== 'atomic') return [];
  const session = played(stage, []);
  try {
    return task.bindings.flatMap((binding) => {
      const row = rowByKey(session, binding.service, binding.table, binding.key);
      const cols = Object.entries(row ?? {}).filter(([, value]) => value === answer.expected);
      // Two columns of one value: which is meant cannot be told.
      if (!row || cols.length !== 1) return [];
      const [[col] = ['']] = cols;
      return candidate(stage, binding, row, col, random.stream(`${binding.name} ${col}`)) ?? [];
    });
  } finally {
    session.drop();
  }
};
