/** File work: a record's text is fetched into the workspace, rewritten there and put back; new files; reports written and read. */
import type { AnswerSpec, Check } from '../../artifacts/check.js';
import type { Step } from '../../artifacts/step.js';
import type { Table } from '../../artifacts/table.js';
import type { Tool } from '../../artifacts/tool.js';
import { isoDate } from '../../kit/calendar.js';
import type { Rng } from '../../kit/rng.js';
import type { Session } from '../../serve/sessions/session.js';
import type { LoadedService } from '../../world/loaded.js';
import type { Row, SqlValue } from '../../world/state/types.js';
import { subjectArg } from '../../world/surface/subject.js';
import { bindingOf, type Candidate, type Family } from '../atomic/candidate.js';
import { type Descriptor, singleOut } from '../ground/descriptors.js';
import { type Ground, subjectRows } from '../ground/ground.js';
import { dropPlan, type NamedTool, type Plan, type PlannedArg, perform, startPlan } from '../ground/plan.js';
import { neededColumns, reveal, toolsOf } from '../ground/reveal.js';
import type { Mutant } from '../mutants/mutant.js';
import { nounOf } from '../words/names.js';
import { sayRow } from '../words/rows.js';
import { PERSONAS, requested } from '../words/tone.js';

type FileStep = Extract<Step, { file: unknown }>['file'];

const TRIES = 10;
/** Texts that somebody would dictate. */
const LONGEST = 220;

const stepsIn = (steps: readonly Step[]): FileStep[] =>
  steps.flatMap((step) =>
    'file' in step ? [step.file] : 'each' in step ? stepsIn(step.each.do) : 'if' in step ? stepsIn(step.if.do) : [],
  );

export const fileStepsOf = ({ steps = [] }: Tool): FileStep[] => stepsIn(steps);

const writing = (tool: Tool): FileStep | undefined => fileStepsOf(tool).find((step) => step.do === 'write');
const reading = (tool: Tool): FileStep | undefined => fileStepsOf(tool).find((step) => step.do === 'read');

/** The argument that a step takes a value from. */
const argIn = (value: unknown): string | undefined => /^\$args\.(\w+)$/.exec(String(value ?? ''))?.[1];

const siblings = (ground: Ground, { service, tool }: NamedTool): NamedTool[] =>
  toolsOf(ground.world, service.id).filter(
    (other) => other.tool.tool.table === tool.tool.table && other.tool.tool !== tool.tool,
  );

/** Puts what stands in the file back into the record. */
const storing = (ground: Ground, tool: NamedTool): NamedTool | undefined =>
  siblings(ground, tool).find(
    ({ tool: { tool: other } }) =>
      reading(other) !== undefined && other.writes.length > 0 && subjectArg(other) !== undefined,
  );

/** Writes any file, by its path and text. */
const writer = (
  ground: Ground,
  service: LoadedService,
): { tool: NamedTool; path: string; text: string } | undefined => {
  for (const tool of toolsOf(ground.world, service.id)) {
    const step = writing(tool.tool.tool);
    const [path, text] = [argIn(step?.path), argIn(step?.content)];
    const others = Object.entries(tool.tool.tool.args).filter(
      ([name, arg]) => arg.required && name !== path && name !== text,
    );
    if (path && text && others.length === 0) return { tool, path, text };
  }
  return undefined;
};

/** The column that holds a record's text. */
const textColumn = (spec: Table): string | undefined =>
  Object.keys(spec.cols).find((col) => /^(content|body|text)$/.test(col));

/** A text as another record of the company might have it. */
const someText = (
  ground: Ground,
  service: LoadedService,
  not: SqlValue | undefined,
  random: Rng,
): string | undefined => {
  const texts = Object.entries(service.spec.tables).flatMap(([name, spec]) => {
    const col = textColumn(spec);
    return col
      ? ground
          .spare(service)(name)
          .map((row) => row[col])
      : [];
  });
  const open = texts.filter(
    (text): text is string =>
      typeof text === 'string' && text !== not && text.length > 8 && text.length <= LONGEST && !/[“”\n]/.test(text),
  );
  return open.length > 0 ? random.pick(open) : undefined;
};

const asGiven = (name: string, value: string): PlannedArg => ({ name, value, origin: { brief: value } });

export const fileChecks = (session: Session): Check[] =>
  [...session.workspace.files()].map(([path, text], i) => ({
    kind: 'file',
    id: `f${i + 1}`,
    footprint: [],
    path,
    equals: text,
  }));

interface Work {
  imperative: string;
  says: string;
  /** Tool ids of the work, for the template. */
  what: string;
  facts: string[];
  answer?: AnswerSpec;
}

interface Scene {
  ground: Ground;
  tool: NamedTool;
  keyArg: string;
  key: string | number;
  row: Row;
  subject: string;
  plan: Plan;
  random: Rng;
}

const on = (keyArg: string, key: string | number): PlannedArg => ({
  name: keyArg,
  value: key,
  origin: { observed: true },
});

const verbOf = ({ tool }: NamedTool): string => tool.tool.id.split('.')[1] ?? '';

/** The record's file gets a new text; where the record is to have it, too, the file is put back. */
const rewrite = (
  { ground, tool, keyArg, key, row, subject, plan, random }: Scene,
  textArg: string,
): Work | undefined => {
  const { service } = tool;
  const spec = service.spec.tables[tool.tool.tool.table] as Table;
  const text = someText(ground, service, row[textColumn(spec) ?? ''], random);
  if (!text || !perform(plan, tool, [on(keyArg, key), asGiven(textArg, text)])) return undefined;
  const back = storing(ground, tool);
  const backKey = back ? subjectArg(back.tool.tool) : undefined;
  if (!back || !backKey)
    return {
      imperative: random.pick([
        `replace the text of ${subject} in the workspace by “${text}”`,
        `write “${text}” into ${subject} in the workspace, in place of what it says now`,
      ]),
      says: 'Done. The file has been written.',
      what: verbOf(tool),
      facts: [text],
    };
  if (!perform(plan, back, [on(backKey, key)])) return undefined;
  return {
    imperative: random.pick([
      `edit the workspace file of ${subject} so that it reads “${text}”, and then file it`,
      `put “${text}” into the file of ${subject} in the workspace and file it, so that the ${nounOf(spec)} itself says so`,
    ]),
    says: `Done. The ${nounOf(spec)} has the new text.`,
    what: `${verbOf(tool)}+${verbOf(back)}`,
    facts: [text],
  };
};

/** A record is taken out, its file rewritten, and put back. */
const roundTrip = ({ ground, tool, keyArg, key, row, subject, plan, random }: Scene): Work | undefined => {
  const { service } = tool;
  const spec = service.spec.tables[tool.tool.tool.table] as Table;
  const [back, hand] = [storing(ground, tool), writer(ground, service)];
  const backKey = back ? subjectArg(back.tool.tool) : undefined;
  const text = someText(ground, service, row[textColumn(spec) ?? ''], random);
  if (!back || !backKey || !hand || !text || !perform(plan, tool, [on(keyArg, key)])) return undefined;
  const path = [...plan.session.workspace.files().keys()].at(-1);
  if (!path) return undefined;
  const args: PlannedArg[] = [{ name: hand.path, value: path, origin: { observed: true } }, asGiven(hand.text, text)];
  if (!perform(plan, hand.tool, args) || !perform(plan, back, [on(backKey, key)])) return undefined;
  return {
    imperative: random.pick([
      `check out ${subject}, replace its text in the workspace by “${text}” and check it in again`,
      `change the text of ${subject} to “${text}”: check it out, write its file in the workspace anew and check it in`,
    ]),
    says: `Done. The ${nounOf(spec)} has been checked in with the new text.`,
    what: `${verbOf(tool)}+write+${verbOf(back)}`,
    facts: [text],
  };
};

/** The record's text as a file in the workspace. */
const takeOut = ({ tool, keyArg, key, subject, plan, random }: Scene): Work | undefined => {
  if (!perform(plan, tool, [on(keyArg, key)])) return undefined;
  const verb = verbOf(tool);
  const imperative =
    verb === 'check_out'
      ? random.pick([
          `check out ${subject}; I want to work on it in the workspace`,
          `check ${subject} out into the workspace`,
        ])
      : random.pick([
          `take the text of ${subject} into the workspace as a file`,
          `fetch ${subject} into the workspace`,
          `put ${subject} into the workspace as a file`,
        ]);
  return { imperative, says: 'Done. It lies in the workspace.', what: verb, facts: [] };
};

/** A report is written, and a figure of it told. */
const writeReport = ({ ground, tool, keyArg, key, subject, plan, random }: Scene): Work | undefined => {
  const { service } = tool;
  const table = tool.tool.tool.table;
  const spec = service.spec.tables[table] as Table;
  if (!perform(plan, tool, [on(keyArg, key)])) return undefined;
  const reader = siblings(ground, tool).find(
    ({ tool: { tool: other } }) => reading(other) !== undefined && other.writes.length === 0,
  );
  const readerKey = reader ? subjectArg(reader.tool.tool) : undefined;
  if (reader && readerKey && random.chance(0.6)) perform(plan, reader, [on(readerKey, key)]);
  const made = plan.session.diff()[service.id]?.find((change) => change.table === table && change.key === key);
  const counted = Object.keys(made?.after ?? {}).find(
    (col) => /^(lines|rows|entries)$/.test(col) && spec.cols[col]?.type === 'int',
  );
  const n = counted ? Number(made?.after?.[counted]) : undefined;
  const base = { says: 'Done. The report has been written.', what: verbOf(tool), facts: [] };
  if (n === undefined || n < 2 || random.chance(0.4))
    return {
      ...base,
      imperative: random.pick([
        `write ${subject} into its file in the workspace`,
        `have ${subject} written to the workspace`,
      ]),
    };
  const answer: AnswerSpec = {
    kind: 'number',
    asks: 'how many figures the written report has',
    expected: n,
    distractors: [n - 1, n + 1, n + 3].filter((other) => other > 0),
  };
  return {
    ...base,
    imperative: `write ${subject} into its file in the workspace and tell me how many figures it has`,
    answer,
    says: String(n),
    what: `${base.what}+lines`,
  };
};

const workOn = (scene: Scene): Work | undefined => {
  const step = writing(scene.tool.tool.tool);
  const textArg = argIn(step?.content);
  if (textArg) return rewrite(scene, textArg);
  if (!String(step?.content).startsWith('$row.')) return writeReport(scene);
  const back = storing(scene.ground, scene.tool);
  return back && writer(scene.ground, scene.tool.service) && scene.random.chance(0.6)
    ? roundTrip(scene)
    : takeOut(scene);
};

/** The same calls with another text, or another path. */
const otherFiles = ({ calls }: Plan, says: string, texts: readonly string[]): Mutant[] =>
  texts.flatMap((text): Mutant[] => {
    const at = calls.findIndex(({ args }) => Object.values(args).includes(text));
    const call = calls[at];
    if (!call) return [];
    const shorter = text.replace(/\s*\S+$/, '');
    const args = Object.fromEntries(
      Object.entries(call.args).map(([name, value]) => [name, value === text ? shorter || `${text}x` : value]),
    );
    return [
      {
        kind: 'other_file',
        what: `writes “${shorter}”`,
        calls: calls.map((one, i) => (i === at ? { ...call, args } : one)),
        answer: says,
      },
    ];
  });

const newFile = (ground: Ground, tool: NamedTool, random: Rng): Candidate | string => {
  const { service } = tool;
  const table = tool.tool.tool.table;
  const step = writing(tool.tool.tool);
  const [pathArg, textArg] = [argIn(step?.path), argIn(step?.content)];
  const text = someText(ground, service, undefined, random);
  const col = pathArg ? (tool.tool.tool.args[pathArg]?.col ?? pathArg) : '';
  const taken = new Set(
    ground
      .rows(service)(table)
      .map((row) => row[col]),
  );
  const day = isoDate(ground.world.spec.clock);
  const path = `${random.pick(['notes', 'handover', 'memos'])}/${random.pick(['call', 'visit', 'meeting', 'reminder'])}-${day}.txt`;
  if (!pathArg || !textArg || !text || taken.has(path)) return 'no free path or no text for a new file';
  const plan = startPlan(ground.fresh());
  if (!perform(plan, tool, [asGiven(pathArg, path), asGiven(textArg, text)])) {
    dropPlan(plan);
    return 'the tool takes no file of that path';
  }
  const imperative = random.pick([
    `write a file ${path} to the workspace that says “${text}”`,
    `put a new file ${path} into the workspace with the text “${text}”`,
    `leave a note in the workspace, in the file ${path}: “${text}”`,
  ]);
  return finished(
    tool,
    plan,
    undefined,
    { imperative, says: 'Done. The file is in the workspace.', what: verbOf(tool), facts: [path, text] },
    random,
  );
};

const finished = (
  tool: NamedTool,
  plan: Plan,
  about: { key: string | number; descriptors: readonly Descriptor[] } | undefined,
  { imperative, says, what, facts, answer }: Work,
  random: Rng,
): Candidate => {
  const { service } = tool;
  const table = tool.tool.tool.table;
  const persona = random.pick(PERSONAS);
  return {
    family: 'file',
    template: `file:${service.id}.${table}.${what}`,
    service,
    persona,
    request: requested(imperative, persona, random, '', false),
    plain: { does: imperative, tail: '' },
    vague: `I need something done with a file of one of our ${nounOf(service.spec.tables[table] as Table)} records.`,
    facts: [...(about?.descriptors.map(({ words }) => words) ?? []), ...facts],
    bindings: about ? [bindingOf('subject', service, table, about.key, about.descriptors)] : [],
    plan,
    ...(answer ? { answer } : {}),
    says,
    checks: fileChecks(plan.session),
    wrong: otherFiles(plan, says, facts),
    isAlone: true,
  };
};

/** A file goes by its path. */
const ofPath = (spec: Table, row: Row): Descriptor[] | undefined => {
  const { path } = row;
  return spec.cols.path?.unique && typeof path === 'string' ? [{ col: 'path', value: path, words: path }] : undefined;
};

export const file: Family = (ground: Ground, tool: NamedTool, random: Rng): Candidate | string => {
  const { service } = tool;
  const table = tool.tool.tool.table;
  const spec = service.spec.tables[table] as Table;
  const keyArg = subjectArg(tool.tool.tool);
  if (!keyArg) return newFile(ground, tool, random);
  const must = neededColumns(ground.world, service, table);
  for (const row of random.sample(subjectRows(ground, service, table), TRIES)) {
    const descriptors =
      ofPath(spec, row) ??
      singleOut(ground, service, table, row, random, random.chance(0.8) ? 'label' : 'around', must);
    if (!descriptors || descriptors.some(({ value }) => / \d$/.test(String(value)))) continue;
    const start = startPlan(ground.fresh());
    const plan = reveal({ world: ground.world, known: ground, service, random }, start, table, row, descriptors);
    dropPlan(start);
    if (!plan) continue;
    const key = row[spec.key.col] as string | number;
    const subject = ofPath(spec, row) ? `the file ${row.path}` : sayRow(service, table, row, descriptors);
    const work = workOn({ ground, tool, keyArg, key, row, subject, plan, random });
    if (work && plan.session.workspace.files().size > 0)
      return finished(tool, plan, { key, descriptors }, work, random);
    dropPlan(plan);
  }
  return 'no row whose file can be worked on';
};

/** Tools that write a file. */
export const writesFile = ({ tool: { tool } }: NamedTool): boolean => writing(tool) !== undefined;
