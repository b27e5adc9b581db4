/** What the user of an atomic task knows: the descriptors of its rows, and the values that a person decides on. */
import type { Fact, Feed } from '../../artifacts/disclosure.js';
import type { Table } from '../../artifacts/table.js';
import type { Binding, Source } from '../../artifacts/task.js';
import type { Tool } from '../../artifacts/tool.js';
import type { LoadedService, LoadedWorld } from '../../world/loaded.js';
import { argPath } from '../../world/surface/args.js';
import type { Candidate } from '../atomic/candidate.js';
import type { Ground } from '../ground/ground.js';
import { nounOf, sayColumn, sayField, spelled } from '../words/names.js';
import { type About, fieldOf, tells } from './sentence.js';

interface Draft extends Omit<Fact, 'id' | 'given' | 'says'> {
  name: string;
  about: About;
  /** Its thing must be named: it is told of something else than what the request is about. */
  isFull?: boolean;
}

/** The table that a column points to, of its own service or of another. */
const targetOf = (
  ground: Ground,
  service: LoadedService,
  table: string,
  col: string,
): { table: Table; isCore: boolean } | undefined => {
  const fk = service.spec.tables[table]?.cols[col]?.fk;
  const link = fk ? undefined : ground.linked(service.id, table, col);
  const there = fk ? service.spec.tables[fk] : link?.service.spec.tables[link.table];
  return there ? { table: there, isCore: (link?.service ?? service).role === 'core' } : undefined;
};

const unique = (...words: string[]): string[] => [...new Set(words)].filter((word) => word !== '');

/** What asks for a column that holds who did something: `the person it was decided by`, `who decided`. */
const askedBy = (col: string): string[] => {
  const did = spelled(col.replace(/_by$/, ''));
  return [`person it is ${did} by`, `${did} by`, `who ${did}`, did];
};

/** The argument of a row that the request points to: `ref0_approver_email`. */
const REFERENCE = /^ref\d+_(.+?)\d*$/;

/** The argument that a binding is for. */
const roleOf = ({ name }: Binding): string => REFERENCE.exec(name)?.[1] ?? name;

const ofReference = (binding: Binding, thing: string, noun: string, isPerson: boolean): Draft[] => {
  const col = roleOf(binding);
  const about: About = { col, column: undefined, thing, noun, isPerson, as: 'given' };
  return binding.descriptors.map(({ col: own, words }) => ({
    name: binding.name,
    words,
    about,
    asked: /_by$/.test(col) ? askedBy(col) : unique(fieldOf(about), sayColumn(col), noun),
    feeds: [{ binding: binding.name, col: own }],
  }));
};

const ofDescriptor = (ground: Ground, binding: Binding, index: number): Draft | undefined => {
  const service = ground.world.services.get(binding.service);
  const spec = service?.spec.tables[binding.table];
  const descriptor = binding.descriptors[index];
  if (!service || !spec || !descriptor) return undefined;
  const { col, words } = descriptor;
  const own = nounOf(spec);
  const target = targetOf(ground, service, binding.table, col);
  const noun = target ? nounOf(target.table) : undefined;
  const isPerson = target?.isCore === true;
  const isLabel = col === spec.label;
  const field = sayField(spec, col);
  const about: About = isLabel
    ? { col, column: undefined, thing: own, noun: own, isText: true, as: 'own' }
    : { col, column: spec.cols[col], field, thing: own, ...(noun ? { noun } : {}), isPerson, as: 'own' };
  const asked = isLabel && /^(name|title|subject|full name)$/.test(field) ? [own, field] : [field, own];
  return {
    name: `${binding.name}_${col}`,
    words,
    about,
    asked: /_by$/.test(col) ? [...askedBy(col), own] : unique(...asked, fieldOf(about), noun ?? ''),
    feeds: [{ binding: binding.name, col }],
  };
};

/** A row that the request points to by what is around it: `the vehicle kept by ...`. */
const aroundReference = (ground: Ground, binding: Binding, index: number): Draft | undefined => {
  const draft = ofDescriptor(ground, binding, index);
  const role = sayColumn(roleOf(binding));
  return draft && { ...draft, isFull: true, asked: unique(...draft.asked, role) };
};

/** The canonical name of an argument that stands at a dotted path of a call. */
const argumentAt = (service: LoadedService, tool: Tool, path: string): string | undefined =>
  Object.entries(tool.args).find(([name, arg]) => argPath(service.spec, name, arg).join('.') === path)?.[0];

const FINDS = new Set(['query', 'filter', 'key']);

const ofSource = (
  world: LoadedWorld,
  candidate: Candidate,
  { call, arg, from }: Source,
): (Draft & { isFinding: boolean }) | undefined => {
  const made = candidate.plan.calls[call];
  const found = made ? world.tools.get(made.tool) : undefined;
  if (!('brief' in from) || !found) return undefined;
  const { service, tool } = found;
  const { tool: spec } = tool;
  const table = service.spec.tables[spec.table];
  const name = argumentAt(service, spec, arg) ?? (arg.split('.').at(-1) as string);
  const declared = spec.args[name];
  const col = declared?.col ?? name;
  const column = table?.cols[col];
  const isText = (declared?.type ?? column?.type) === 'text' && !declared?.enum && !column?.enum;
  const isFinding = declared !== undefined && FINDS.has(declared.role) && spec.op !== 'action';
  const about: About = {
    col,
    column,
    ...(column && table ? { field: sayField(table, col) } : {}),
    thing: table ? nounOf(table) : '',
    isText,
    as: !isFinding && spec.op === 'update' ? 'new' : 'given',
  };
  return {
    name: col,
    words: from.brief,
    about,
    asked: unique(fieldOf(about), sayColumn(col), ...(spec.op === 'update' ? ['new value'] : [])),
    feeds: [{ call, arg }],
    isFinding,
  };
};

const sameWords = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

const named = (name: string, taken: Set<string>): string => {
  const base = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^[^a-z]+|_+$/g, '')
    .slice(0, 56);
  let id = base || 'fact';
  for (let n = 2; taken.has(id); n++) id = `${base || 'fact'}_${n}`;
  taken.add(id);
  return id;
};

/** Noun of what is made or changed by the call that takes this column; an errand may look something up after it. */
const thingOf = ({ world }: Ground, { plan }: Candidate, col: string): string => {
  const calls = plan.calls.flatMap(({ tool }) => world.tools.get(tool) ?? []);
  const takes = ({ tool }: (typeof calls)[number]): boolean =>
    Object.entries(tool.tool.args).some(([name, arg]) => (arg.col ?? name) === col);
  const writing = calls.filter(({ tool }) => tool.tool.writes.length > 0);
  const found = writing.findLast(takes) ?? writing.at(-1) ?? calls.at(-1);
  const table = found?.service.spec.tables[found.tool.tool.table];
  return table ? nounOf(table) : '';
};

/** Sentences of which none could be about another's thing. */
const told = (drafts: readonly Draft[]): string[] => {
  const head = ({ about }: Draft): string => fieldOf(about);
  return drafts.map((draft) =>
    tells(
      draft.words,
      draft.about,
      drafts.some((other) => other !== draft && head(other) === head(draft)),
    ),
  );
};

/**
 * Facts in the order of their rows and calls; `given` is full for all: only the texts tell (forms.ts). A look-up that takes a
 * descriptor's words is fed by the descriptor's fact.
 */
export const factsOf = (ground: Ground, candidate: Candidate): Fact[] => {
  const drafts: Draft[] = candidate.bindings.flatMap((binding) => {
    const service = ground.world.services.get(binding.service);
    const spec = service?.spec.tables[binding.table];
    if (!service || !spec) return [];
    const isNamed = binding.descriptors.length === 1 && binding.descriptors[0]?.col === spec.label;
    return REFERENCE.test(binding.name)
      ? isNamed
        ? ofReference(binding, thingOf(ground, candidate, roleOf(binding)), nounOf(spec), service.role === 'core')
        : binding.descriptors.flatMap((_, index) => aroundReference(ground, binding, index) ?? [])
      : binding.descriptors.flatMap((_, index) => ofDescriptor(ground, binding, index) ?? []);
  });
  const described = drafts.length;
  for (const source of candidate.plan.sources) {
    const draft = ofSource(ground.world, candidate, source);
    if (!draft) continue;
    const { isFinding, ...own } = draft;
    const known = drafts.find(
      (other, i) => sameWords(other.words, own.words) && (i < described ? isFinding : other.name === own.name),
    );
    if (known) known.feeds.push(...(own.feeds as Feed[]));
    else drafts.push(own);
  }
  const taken = new Set<string>();
  const sentences = told(drafts);
  return drafts.map(({ name, words, asked, feeds }, i) => ({
    id: named(name, taken),
    words,
    says: sentences[i] as string,
    asked,
    feeds,
    given: 'full' as const,
  }));
};
