/** Written checks: completed, parsed, and held against the world before anything runs. */
import { Check } from '../../artifacts/check.js';
import type { Json } from '../../kit/hash.js';
import type { LoadedWorld } from '../../world/loaded.js';
import { nearest } from './near.js';
import type { Page, Path } from './page.js';

const withDefaults = (written: Record<string, Json>, n: number): Record<string, Json> => {
  const { service, table, where, col } = written;
  const cols = [
    ...(where !== null && typeof where === 'object' && !Array.isArray(where) ? Object.keys(where) : []),
    ...(typeof col === 'string' ? [col] : []),
  ];
  const looks = typeof service === 'string' && typeof table === 'string';
  const footprint = looks ? [{ service, table, ...(cols.length > 0 ? { cols: [...new Set(cols)] } : {}) }] : [];
  return { id: `c${n + 1}`, footprint, ...(written.kind === 'unchanged' ? { except: [] } : {}), ...written };
};

interface Place {
  service: string;
  table: string;
  cols: readonly [Path, string][];
}

/** Refuses, with its line, a service, table or column that the world lacks. */
export const holdPlace = (world: LoadedWorld, page: Page, path: Path, { service, table, cols }: Place): void => {
  const spec = world.services.get(service)?.spec;
  if (!spec) {
    const next = `It has ${[...world.services.keys()].join(', ')}.`;
    throw page.refusal([...path, 'service'], 'the world has no such service', service, next);
  }
  const found = Object.hasOwn(spec.tables, table) ? spec.tables[table] : undefined;
  if (!found) {
    const next = `Nearest: ${nearest(table, Object.keys(spec.tables))}.`;
    throw page.refusal([...path, 'table'], `${service} has no such table`, table, next);
  }
  for (const [at, col] of cols) {
    if (Object.hasOwn(found.cols, col) || found.key.col === col) continue;
    const next = `Nearest: ${nearest(col, Object.keys(found.cols))}.`;
    throw page.refusal([...path, ...at], `${service}.${table} has no such column`, col, next);
  }
};

/** Places that a check names, with where it names them. */
export const placesOf = (check: Check): [Path, Place][] => {
  if (check.kind === 'unchanged')
    return check.except.map(({ service, table, cols = [] }, i) => [
      ['except', i],
      { service, table, cols: cols.map((col, n): [Path, string] => [['cols', n], col]) },
    ]);
  if (!('table' in check)) return [];
  const where = Object.keys(check.where).map((col): [Path, string] => [['where', col], col]);
  const own: [Path, string][] = 'col' in check ? [[['col'], check.col]] : [];
  return [[[], { service: check.service, table: check.table, cols: [...where, ...own] }]];
};

/** The checks as the task keeps them. Throws `bad_task` with the line of the first that cannot be. */
export const checksByHand = (
  world: LoadedWorld,
  page: Page,
  written: readonly Record<string, Json>[],
  hasAnswer: boolean,
): Check[] => {
  const checks = written.map((one, n) => {
    const path: Path = ['checks', n];
    const parsed = Check.safeParse(withDefaults(one, n));
    if (!parsed.success) {
      const issue = parsed.error.issues[0];
      const inner = (issue?.path ?? []).filter((key) => typeof key !== 'symbol');
      const stray = issue?.code === 'unrecognized_keys' ? [...inner, issue.keys[0] ?? ''] : inner;
      const where = inner.length > 0 ? `${inner.join('.')}: ` : '';
      const next = 'See docs/tasks-by-hand.md for the kinds of checks.';
      throw page.refusal([...path, ...stray], `${where}${issue?.message ?? 'not a check'}`, String(one.kind), next);
    }
    const check = parsed.data;
    for (const [at, place] of placesOf(check)) holdPlace(world, page, [...path, ...at], place);
    if (check.kind === 'answer' && !hasAnswer)
      throw page.refusal(path, 'an answer is checked and none is asked for', check.id, 'Write the answer, too.');
    if (check.kind === 'invariant' && !world.spec.invariants.some(({ id }) => id === check.invariant)) {
      const known = world.spec.invariants.map(({ id }) => id);
      throw page.refusal(
        [...path, 'invariant'],
        'the world has no such rule',
        check.invariant,
        `Nearest: ${nearest(check.invariant, known)}.`,
      );
    }
    const tool = check.kind === 'returned' ? check.tools.findIndex((name) => !world.tools.has(name)) : -1;
    if (check.kind === 'returned' && tool >= 0) {
      const name = check.tools[tool] ?? '';
      const next = `Nearest: ${nearest(name, [...world.tools.keys()])}.`;
      throw page.refusal([...path, 'tools', tool], 'the world has no tool of that name', name, next);
    }
    return check;
  });
  const ids = checks.map(({ id }) => id);
  const twice = ids.findIndex((id, i) => ids.indexOf(id) < i);
  if (twice >= 0) throw page.refusal(['checks', twice], 'two checks have one id', ids[twice], 'Leave the ids out.');
  return checks;
};
