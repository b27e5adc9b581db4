import type { Binding } from '../../artifacts/task.js';
import type { Arg } from '../../artifacts/tool.js';
import type { Rng } from '../../kit/rng.js';
import type { LoadedService } from '../../world/loaded.js';
import type { SqlValue } from '../../world/state/types.js';
import { subjectArg } from '../../world/surface/subject.js';
import type { Ground } from '../ground/ground.js';
import { dropPlan, type NamedTool, type Plan } from '../ground/plan.js';
import { reveal } from '../ground/reveal.js';
import { nounOf, sayColumn } from '../words/names.js';
import { isSpeakable } from '../words/sayable.js';
import type { Said } from '../words/verbs.js';
import { bindingOf } from './candidate.js';
import { type Chosen, choose, type From } from './values.js';

export const TRIES = 10;
const STEERING = new Set(['limit', 'offset', 'page', 'cursor', 'sort']);

export const splitArgs = (tool: NamedTool): { key?: string; required: [string, Arg][]; optional: [string, Arg][] } => {
  const args = Object.entries(tool.tool.tool.args).filter(([, arg]) => !STEERING.has(arg.role));
  const key = subjectArg(tool.tool.tool);
  const others = args.filter(([name]) => name !== key);
  return {
    ...(key ? { key } : {}),
    required: others.filter(([, arg]) => arg.required),
    optional: others.filter(([, arg]) => !arg.required),
  };
};

/** Extends the plan until every row the chosen arguments point to has been seen. */
export const revealAll = (ground: Ground, plan: Plan, chosen: readonly Chosen[], random: Rng): Plan | undefined => {
  let at: Plan | undefined = plan;
  for (const { refers } of chosen) {
    if (!refers || !at) continue;
    const sight = { world: ground.world, known: ground, service: refers.service, random };
    const further: Plan | undefined = reveal(sight, at, refers.table, refers.row, refers.descriptors);
    dropPlan(at);
    at = further;
  }
  return at;
};

/** Whether each chosen value can be found again in what the calls changed: what leaves no trace cannot be asked for. */
export const leavesTrace = (plan: Plan, chosen: readonly Chosen[]): boolean => {
  const after = Object.values(plan.session.diff()).flatMap((changes) =>
    changes.flatMap(({ after: row }) => Object.values(row ?? {}).map(String)),
  );
  const values = new Set(after);
  return chosen.every(({ arg: { value } }) =>
    Array.isArray(value)
      ? true
      : values.has(String(value)) || after.some((text) => /^[[{]/.test(text) && text.includes(String(value))),
  );
};

export const referBindings = (chosen: readonly Chosen[]): Binding[] =>
  chosen.flatMap(({ refers, name }, index) => {
    const key = refers?.row[refers.service.keys[refers.table] ?? ''];
    return refers && key !== null && key !== undefined
      ? [bindingOf(`ref${index}_${name}`.slice(0, 60), refers.service, refers.table, key, refers.descriptors)]
      : [];
  });

/** Chosen arguments as the wording wants them; those that go without saying are left out. */
export const saidOf = (chosen: readonly Chosen[]): Said[] =>
  chosen
    .filter(({ words }) => words !== '')
    .map(({ name, words, isText, refers }) => {
      const target = refers?.service.spec.tables[refers.table];
      return {
        name,
        words,
        isText: isText === true,
        ...(target ? { noun: nounOf(target), isPerson: refers?.service.role === 'core' } : {}),
      };
    });

export const factsOf = (chosen: readonly Chosen[]): string[] =>
  chosen.filter(({ words }) => words !== '').map(({ name, words }) => `${sayColumn(name)}: ${words}`);

const sameTarget = (
  ground: Ground,
  service: LoadedService,
  table: string,
  col: string,
  refers: NonNullable<Chosen['refers']>,
): SqlValue | undefined => {
  const link = ground.linked(service.id, table, col);
  const cols = Object.keys(refers.service.spec.tables[refers.table]?.cols ?? {});
  const twin =
    link &&
    cols.find((other) => {
      if (!OWN_KEY.test(other)) return false;
      const to = ground.linked(refers.service.id, refers.table, other);
      return to?.service === link.service && to.table === link.table && to.col === link.col;
    });
  return twin === undefined ? undefined : (refers.row[twin] ?? undefined);
};

/** Keys by which a row is somebody's own: a payslip's employee is its pay profile's. A keeper, handler or buyer is not. */
const OWN_KEY = /^(employee_no|employee_email|work_email|email|[a-z]+_no)$/;

/** The name beside somebody's number or address: a badge's holder is its employee, who signs has that address. */
const isNameOf = (col: string, other: string): boolean =>
  (/^(holder|full|employee)_name$/.test(col) && OWN_KEY.test(other)) || other === col.replace(/_name$/, '_email');

/** A name that another service knows as well, and not of the thing that it names there: a text. */
const asText = (made: Chosen): Chosen => {
  const { refers, arg } = made;
  const label = refers?.service.spec.tables[refers.table]?.label;
  if (!refers || !/_name$/.test(made.name) || typeof arg.value !== 'string' || refers.row[label ?? ''] === arg.value)
    return made;
  return { arg: { ...arg, origin: { brief: arg.value } }, name: made.name, words: arg.value, isText: true };
};

/** A column that repeats what a chosen row already says (its employee's e-mail) takes that row's value and goes without saying. */
const repeated = (
  ground: Ground,
  service: LoadedService,
  table: string,
  name: string,
  arg: Arg,
  chosen: readonly Chosen[],
): Chosen | undefined => {
  const col = arg.col ?? name;
  for (const { refers, name: other } of chosen) {
    if (refers?.service.role === 'core' && OWN_KEY.test(col) && OWN_KEY.test(other)) {
      // The staff number and the address of one line are one person's.
      const link = ground.linked(service.id, table, col);
      const value = link?.service === refers.service && link.table === refers.table ? refers.row[link.col] : undefined;
      if (value !== undefined) return { arg: { name, value, origin: { observed: true } }, name: col, words: '' };
    }
    if (refers?.service.role === 'core' && isNameOf(col, other) && typeof refers.row.name === 'string')
      return { arg: { name, value: refers.row.name, origin: { observed: true } }, name: col, words: '' };
    if (!refers || refers.service !== service || !OWN_KEY.test(col)) continue;
    const value = sameTarget(ground, service, table, col, refers);
    if (value !== undefined) return { arg: { name, value, origin: { observed: true } }, name: col, words: '' };
  }
  return undefined;
};

/** Two customers for one order contradict each other. */
const isSameKind = (one: Chosen, other: Chosen): boolean =>
  one.refers !== undefined &&
  other.refers !== undefined &&
  one.refers.service.role !== 'core' &&
  one.refers.service.spec.tables[one.refers.table]?.noun === other.refers.service.spec.tables[other.refers.table]?.noun;

/** A driver's own address or staff number does not become a colleague's. */
const isSomebodyElse = ({ refers, name }: Chosen): boolean =>
  refers?.service.role === 'core' && /^(email|work_email|employee_email|employee_no)$/.test(name);

export const pickOptional = (
  ground: Ground,
  service: LoadedService,
  table: string,
  open: [string, Arg][],
  random: Rng,
  most: number,
  from: From,
  chosen: readonly Chosen[] = [],
): Chosen[] => {
  const out: Chosen[] = [];
  for (const [name, arg] of random.shuffle(open)) {
    if (out.length >= most) break;
    if (!isSpeakable(arg.col ?? name) || repeated(ground, service, table, name, arg, [...chosen, ...out])) continue;
    const made = choose(ground, service, table, name, arg, random, { ...from, beside: [...chosen, ...out] });
    if (!made || (from.isChange && isSomebodyElse(made)) || [...chosen, ...out].some((one) => isSameKind(one, made)))
      continue;
    out.push(asText(made));
  }
  return out;
};

export const pickRequired = (
  ground: Ground,
  service: LoadedService,
  table: string,
  needed: [string, Arg][],
  random: Rng,
  from: From,
): Chosen[] | undefined => {
  const out: Chosen[] = [];
  // Who it is comes before what goes without saying of them.
  const ordered = [...needed].sort(([a], [b]) => Number(/_name$/.test(a)) - Number(/_name$/.test(b)));
  for (const [name, arg] of ordered) {
    const made =
      repeated(ground, service, table, name, arg, out) ??
      choose(ground, service, table, name, arg, random, { ...from, beside: out });
    if (!made) return undefined;
    out.push(asText(made));
  }
  return out;
};
