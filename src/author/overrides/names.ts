/** Finds what an entry speaks of, by its name in the draft or on the surface; otherwise says what is near. */
import type { ServiceSpec } from '../../artifacts/service.js';
import { nearNames } from '../../kit/near.js';
import { snake } from '../../kit/words.js';

export interface Found {
  spec: ServiceSpec;
  name: string;
}

const lookUp = (given: string, what: string, all: readonly Found[]): Found | string => {
  const at = given.indexOf('.');
  const service = at > 0 ? given.slice(0, at) : undefined;
  const rest = given.slice(at + 1);
  const within = all.filter(({ spec }) => spec.id === service);
  const readings: [readonly Found[], string][] =
    service !== undefined && within.length > 0 ? [[within, rest]] : [[all, given]];
  for (const [list, wanted] of readings) {
    const exact = list.filter(({ name }) => name === wanted);
    const like = exact.length > 0 ? exact : list.filter(({ name }) => snake(name) === snake(wanted));
    const [one, two] = like;
    if (one && !two) return one;
    if (one)
      return `${what} ${given} is in several services: ${like.map(({ spec, name }) => `${spec.id}.${name}`).join(', ')}`;
  }
  const near = nearNames(
    given,
    all.map(({ name }) => name),
  );
  return `no ${what} is called ${given}${near.length > 0 ? `; near it: ${near.join(', ')}` : ''}`;
};

export const tableNamed = (given: string, specs: readonly ServiceSpec[]): Found | string =>
  lookUp(
    given,
    'table',
    specs.flatMap((spec) => Object.keys(spec.tables).map((name) => ({ spec, name }))),
  );

export const toolNamed = (given: string, specs: readonly ServiceSpec[]): Found | string =>
  lookUp(
    given,
    'tool',
    specs.flatMap((spec) => Object.keys(spec.tools).map((name) => ({ spec, name }))),
  );

export const columnNamed = (given: string, { spec, name }: Found): { col: string } | string => {
  const cols = spec.tables[name]?.cols ?? {};
  const names = Object.keys(cols);
  const found = names.filter((col) => col === given || cols[col]?.field === given);
  const like = found.length > 0 ? found : names.filter((col) => snake(cols[col]?.field ?? col) === snake(given));
  const [one, two] = like;
  if (one !== undefined && two === undefined) return { col: one };
  return `table ${name} has no column ${given}; near it: ${nearNames(given, names).join(', ')}`;
};
