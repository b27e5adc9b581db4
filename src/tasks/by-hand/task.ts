/** A hand-written task as a Task: bindings, checks, disclosure, and the reference as it ran. */
import type { Check } from '../../artifacts/check.js';
import type { Column, Table } from '../../artifacts/table.js';
import { type Binding, Task } from '../../artifacts/task.js';
import type { Json } from '../../kit/hash.js';
import type { LoadedService } from '../../world/loaded.js';
import { encodeValue } from '../../world/surface/values.js';
import { checksOf } from '../checks.js';
import { type Descriptor, fitting } from '../ground/descriptors.js';
import type { Ground } from '../ground/ground.js';
import { pathTo } from '../ground/plan.js';
import { rubricOf } from '../rubric.js';
import { answerOf } from './answer.js';
import { checksByHand, holdPlace } from './checks.js';
import type { HandTask } from './form.js';
import { nearest } from './near.js';
import type { Page } from './page.js';
import type { HandRun } from './run.js';
import { sayings, spokenIn, wordsIn } from './spoken.js';

/** Lineages of tasks that people wrote begin so. */
export const BY_HAND = 'by-hand:';
export const BY_HAND_FAMILY = 'by_hand';

export const isByHand = ({ lineage }: Pick<Task, 'lineage'>): boolean => lineage.template.startsWith(BY_HAND);

/** The one row that `about` tells of, and the words in which the brief says so. */
const bindingOf = (ground: Ground, page: Page, { brief, about }: HandTask, n: number): Binding => {
  const { service: id, table, where } = about[n] as HandTask['about'][number];
  const path = ['about', n];
  const cols = Object.keys(where).map((col): [['where', string], string] => [['where', col], col]);
  holdPlace(ground.world, page, path, { service: id, table, cols });
  const service = ground.world.services.get(id) as LoadedService;
  const spec = service.spec.tables[table] as Table;
  const currency = service.spec.surface.currency ?? 'USD';
  const descriptors = Object.entries(where).map(([col, value]): Descriptor => {
    const stored = typeof value === 'boolean' ? Number(value) : value;
    const said = { written: value as Json, stored, column: spec.cols[col], currency };
    return { col, value, words: spokenIn(brief, said) ?? sayings(said)[0] ?? String(value) };
  });
  const hits = fitting(service, table, descriptors, ground.rows(service)(table));
  const [row] = hits;
  if (hits.length !== 1 || !row)
    throw page.refusal(
      path,
      `${hits.length} rows of ${id}.${table} fit what the task is about, one must`,
      JSON.stringify(where),
      hits.length === 0 ? 'Look at the data: treadle show, or sqlite3 on the world’s data.' : 'Say more of the row.',
    );
  return {
    name: n === 0 ? 'subject' : `subject${n}`,
    service: id,
    table,
    key: row[spec.key.col] as string | number,
    descriptors: descriptors.map(({ col, value, words }) => ({ col, value, words })),
  };
};

const servicesOf = ({ world }: Ground, page: Page, task: HandTask, run: HandRun): string[] => {
  const all = [...world.services.values()];
  const stray = task.services?.findIndex((id) => !world.services.has(id)) ?? -1;
  if (task.services && stray >= 0) {
    const id = task.services[stray] ?? '';
    const next = `Nearest: ${nearest(id, [...world.services.keys()])}.`;
    throw page.refusal(['services', stray], 'the world has no such service', id, next);
  }
  const extra = task.services ?? all.filter(({ role }) => role === 'core').map(({ id }) => id);
  const chosen = new Set([...extra, ...run.calls.map(({ service }) => service)]);
  return all.map(({ id }) => id).filter((id) => chosen.has(id));
};

/** The reference has to do with the rows that the brief speaks of: a list in another order leads to another row. */
const mustConcern = (ground: Ground, page: Page, bindings: readonly Binding[], run: HandRun): void => {
  const touched = run.session.ledger.flatMap((entry, call) =>
    entry.touched.filter(({ change }) => change !== 'insert').map((touch) => ({ ...touch, call })),
  );
  for (const { service, table, key, call } of touched) {
    const own = bindings.filter((one) => one.service === service && one.table === table);
    if (own.length === 0 || own.some((one) => one.key === key)) continue;
    throw page.refusal(
      ['reference', 'calls', call],
      `call ${call + 1} changes another ${service}.${table} row than the task is about`,
      `${key}, about ${own.map((one) => one.key).join(', ')}`,
      'Look the right row up, or say that the task is about this one, too.',
    );
  }
  for (const [n, { service: id, table, key }] of bindings.entries()) {
    const service = ground.world.services.get(id) as LoadedService;
    const spec = service.spec.tables[table] as Table;
    const row = { [spec.key.col]: key };
    const shown = encodeValue(service.spec, spec.cols[spec.key.col] as Column, key, row);
    const isUsed = [...run.observations, ...run.calls.map(({ args }) => args as Json)].some(
      (seen) => pathTo(seen, shown) !== undefined,
    );
    if (isUsed || touched.some((touch) => touch.service === id && touch.table === table && touch.key === key)) continue;
    throw page.refusal(
      ['about', n],
      'no call of the reference shows or uses the row the task is about',
      key,
      'Look it up in the reference.',
    );
  }
};

/** What the brief gives away: an id that a service made up, or the answer where it is not one of what is asked between. */
const leakIn = (page: Page, task: HandTask, bindings: readonly Binding[], run: HandRun, says: string): void => {
  const ids = [...run.ids.map(({ value }) => value), ...bindings.map(({ key }) => String(key))];
  const id = ids.find((value) => value.length > 3 && wordsIn(task.brief, value) !== undefined);
  if (id !== undefined)
    throw page.refusal(
      ['brief'],
      'the brief holds an internal id',
      id,
      'Describe the row instead; the agent has to find its id.',
      page.lineWith(['brief'], id),
    );
  if (!task.answer || task.answer.kind === 'number' || typeof task.answer.expected === 'number') return;
  const told = [says, ...(Array.isArray(task.answer.expected) ? [] : [String(task.answer.expected)])];
  const leaked = told.map((words) => wordsIn(task.brief, words)).find((words) => words !== undefined);
  if (leaked !== undefined)
    throw page.refusal(
      ['brief'],
      'the brief holds the answer',
      leaked,
      'Ask for it without saying it.',
      page.lineWith(['brief'], leaked),
    );
};

/** The task, not gated yet. Throws `bad_task` with the line; with `isLenient` not for what a brief gives away. The run's session stays open. */
export const taskByHand = (
  ground: Ground,
  page: Page,
  written: HandTask,
  id: string,
  run: HandRun,
  isLenient = false,
): Task => {
  const { world, actor } = ground;
  const bindings = written.about.map((_, n) => bindingOf(ground, page, written, n));
  mustConcern(ground, page, bindings, run);
  const { spec: answer, says } = answerOf(ground, page, written, run);
  if (!isLenient) leakIn(page, written, bindings, run, says);
  const own: Check[] = answer ? [{ kind: 'answer', id: 'answer', footprint: [] }] : [];
  const checks = written.checks
    ? checksByHand(world, page, written.checks, answer !== undefined)
    : [...own, ...checksOf(run.session)];
  const { brief, partial = brief, vague = brief, knows } = written;
  const chain = run.calls.map((call) => world.tools.get(call.tool)?.tool.tool.id ?? call.tool);
  return Task.parse({
    treadle: 'task/1',
    id,
    kind: 'atomic',
    world: world.hash,
    worldId: world.spec.id,
    services: servicesOf(ground, page, written, run),
    actor: { name: actor.name, email: actor.email, title: actor.title },
    brief,
    snapshot: world.spec.snapshot,
    clock: world.spec.clock,
    nodes: [{ id: 'a1', family: BY_HAND_FAMILY, intent: brief, service: run.calls.at(-1)?.service ?? '', chain }],
    edges: [],
    bindings,
    disclosure: { persona: written.persona, stages: [{ node: 'a1', full: brief, partial, vague, facts: knows }] },
    milestones: [
      {
        id: 'm1',
        node: 'a1',
        checks,
        rubric: rubricOf(brief, {
          answer,
          says,
          changes: checks.some(({ kind }) => kind !== 'unchanged' && kind !== 'answer'),
        }),
      },
    ],
    ...(answer ? { answer } : {}),
    reference: { calls: run.calls, answer: says, sources: run.sources },
    lineage: { template: `${BY_HAND}${id}`, seed: 'by hand' },
  } satisfies Task);
};
