/** Hand-written tasks: what is taken, and each reason for which one is refused, with its line. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import type { Task } from '../../src/artifacts/task.js';
import { withByHand } from '../../src/cli/pipeline/by-hand.js';
import { Corpus } from '../../src/corpus/corpus.js';
import { TreadleError } from '../../src/errors.js';
import type { Json } from '../../src/kit/hash.js';
import { addressOf } from '../../src/kit/hash.js';
import { type Admitted, admitByHand } from '../../src/tasks/by-hand/admit.js';
import { handTaskOf } from '../../src/tasks/by-hand/form.js';
import { Page } from '../../src/tasks/by-hand/page.js';
import { idFor, worldFor } from '../../src/tasks/by-hand/place.js';
import { wordsIn } from '../../src/tasks/by-hand/spoken.js';
import { generateTasks } from '../../src/tasks/generate.js';
import type { LoadedWorld } from '../../src/world/loaded.js';
import { toyTask } from '../rollout/toy.js';
import { catalogueWorld } from './worlds.js';

let world: LoadedWorld;
let change: Task;
let question: Task;
/** The change's call that changes something. */
let last: number;

beforeAll(async () => {
  world = await catalogueWorld('a software company in Dublin with a help desk', 'gate', ['billing', 'support_desk']);
  const tasks = generateTasks(world, { count: 24, seed: 'gate' }).tasks.map(({ task }) => task);
  const pick = (fits: (task: Task) => boolean): Task => {
    const found = tasks.find(fits);
    if (!found) throw new Error('the library holds no such task');
    return found;
  };
  const hasSubject = ({ bindings }: Task): boolean => bindings[0]?.name === 'subject';
  const grows = ({ nodes }: Task): boolean => ['action', 'update'].includes(nodes[0]?.family ?? '');
  change = pick((task) => !task.answer && task.reference.calls.length > 1 && hasSubject(task) && grows(task));
  last = change.reference.calls.length - 1;
  question = pick(({ answer }) => answer !== undefined && ['value', 'date', 'amount'].includes(answer.kind));
}, 240_000);

type Written = Record<string, unknown>;
interface Calls {
  calls: { tool: string; args: Record<string, Json>; because?: Record<string, string> }[];
  says?: string;
}

/** What a person would have written to get this task. */
const handOf = (task: Task): Written & { reference: Calls; brief: string } => ({
  id: 'mine',
  brief: task.brief,
  about: task.bindings.map(({ service, table, descriptors }) => ({
    service,
    table,
    where: Object.fromEntries(descriptors.map(({ col, value }) => [col, value])),
  })),
  reference: {
    calls: task.reference.calls.map(({ tool, args }, n) => {
      const said = task.reference.sources.filter(({ call, from }) => call === n && 'constant' in from);
      const because = Object.fromEntries(said.map(({ arg }) => [arg, 'as the made one has it']));
      return { tool, args: structuredClone(args), because };
    }),
  },
});

const admit = (text: string): Admitted => {
  const page = Page.read('t.yaml', text);
  return admitByHand(world, page, handTaskOf(page), 'mine');
};
const admitted = (written: Written): Admitted => admit(stringify(written, { lineWidth: 0 }));

/** Refused; returns the message and what the line it names says. */
const refusal = (text: string): { message: string; line: string; error: TreadleError } => {
  try {
    admit(text);
  } catch (thrown) {
    if (!(thrown instanceof TreadleError)) throw thrown;
    const number = /^t\.yaml line (\d+): /.exec(thrown.message)?.[1];
    expect(thrown.code).toBe('bad_task');
    expect(number, thrown.message).toBeDefined();
    return { message: thrown.line(), line: text.split('\n')[Number(number) - 1]?.trim() ?? '', error: thrown };
  }
  throw new Error(`not refused: ${text.slice(0, 400)}`);
};
const refused = (written: Written) => refusal(stringify(written, { lineWidth: 0 }));

describe('what is taken', () => {
  it('is a change, with checks made from what its calls change', () => {
    const { task, certificate } = admitted(handOf(change));
    expect(certificate.pass).toBe(true);
    expect(certificate.subject).toBe(addressOf(task));
    expect(task.milestones[0]?.checks).toEqual(change.milestones[0]?.checks);
    expect(task.bindings[0]).toMatchObject({ name: 'subject', key: change.bindings[0]?.key });
    expect(task.lineage.template).toBe('by-hand:mine');
  });
  it('is the same twice', () => {
    expect(admitted(handOf(change))).toEqual(admitted(handOf(change)));
  });
  it('may name what an earlier call showed', () => {
    const source = change.reference.sources.find(({ call, from }) => call === last && 'observed' in from);
    if (!source || !('observed' in source.from)) throw new Error('no argument of the change is looked up');
    const { observed, path } = source.from;
    // By position, and by what the item says: there is but one.
    for (const where of [path, path.replace(/\.0\.(\w+)$/, `.[$1=${leafOf(change, source.arg)}].$1`)])
      expect(callsBy(`\${${observed + 1}.${where}}`, source.arg).task.reference).toEqual(
        expect.objectContaining({ calls: change.reference.calls, sources: expect.arrayContaining([source]) }),
      );
  });
  const leafOf = ({ reference }: Task, arg: string): Json =>
    arg
      .split('.')
      .reduce<Json>((at, key) => (at as Record<string, Json>)[key] ?? null, reference.calls[last]?.args ?? {});
  const callsBy = (by: string, arg: string): Admitted => {
    const written = handOf(change);
    const args = written.reference.calls[last]?.args ?? {};
    const keys = arg.split('.');
    let at = args;
    for (const key of keys.slice(0, -1)) at = at[key] as Record<string, Json>;
    at[keys.at(-1) as string] = by;
    return admitted(written);
  };
  it('is a question, with distractors from the world', () => {
    const asked = question.answer;
    if (!asked) throw new Error('no question');
    const expected = asked.kind === 'amount' ? question.reference.answer : asked.expected;
    const { task, certificate } = admitted({
      ...handOf(question),
      answer: { asks: asked.asks, kind: asked.kind, expected },
    });
    expect(certificate.pass).toBe(true);
    expect(task.answer).toMatchObject({ kind: asked.kind, expected: asked.expected });
    expect(task.answer?.distractors.length).toBeGreaterThan(1);
    expect(task.answer?.distractors).not.toContain(asked.expected);
  });
});

describe('refused, with its line', () => {
  it('YAML that is broken, in whatever way', () => {
    for (const [text, line] of [
      ['id: a\nbrief: "x', 2],
      ['id: a\nid: b', 2],
      ['a: [1, 2\nb: 3', 2],
      ['id: a\n---\nid: b', 2],
      ['\tid: a', 1],
    ] as const)
      expect(() => Page.read('t.yaml', text), text).toThrow(new RegExp(`t\\.yaml line ${line}: `));
    for (const text of ['', 'just words', '- 1', 'null', '42']) expect(refusal(text).error.message).toContain('line 1');
    const bomb = `a: &a [x, x]\n${Array.from({ length: 30 }, (_, n) => `b${n}: &b${n} [*${n ? `b${n - 1}` : 'a'}, *${n ? `b${n - 1}` : 'a'}]`).join('\n')}`;
    expect(() => Page.read('t.yaml', bomb)).toThrow(TreadleError);
    expect(() => Page.read('t.yaml', 'x'.repeat(2_000_000))).toThrow(TreadleError);
  });
  it('what does not fit the form', () => {
    const { brief: _, ...without } = handOf(change);
    expect(refused(without).message).toContain('brief');
    expect(refused({ ...handOf(change), breif: 'x' }).line).toBe('breif: x');
    expect(refused({ ...handOf(change), id: 'Not An Id' }).line).toBe('id: Not An Id');
    expect(refused({ ...handOf(change), reference: { calls: [] } }).message).toContain('reference.calls');
  });
  it('a tool, a service, a person that is not there', () => {
    const written = handOf(change);
    const [first] = written.reference.calls;
    if (first) first.tool = `${first.tool}z`;
    const { message, line } = refused(written);
    expect(message).toContain('no tool of that name');
    expect(message).toContain('Nearest');
    expect(line).toContain(`${change.reference.calls[0]?.tool}z`);
    expect(refused({ ...handOf(change), services: ['billing', 'bakery'] }).line).toBe('- bakery');
    expect(refused({ ...handOf(change), actor: 'nobody@nowhere.example' }).line).toContain('nobody@');
  });
  it('a call that fails, and one that uses what is not there yet', () => {
    const failing = handOf(change);
    const final = failing.reference.calls[last];
    if (final) final.args = { ...final.args, nonsense: 'x' };
    expect(refused({ ...failing, brief: `${change.brief} x` }).message).toMatch(/call \d .* fails/);
    for (const [by, says] of [
      [`\${${last + 1}.id}`, 'only use calls before it'],
      [`\${9.id}`, 'only use calls before it'],
      [`\${1.no.such.place}`, 'shows no value'],
    ] as const) {
      const early = handOf(change);
      const call = early.reference.calls[last];
      if (call) call.args = { ...call.args, more: by };
      expect(refused(early)).toMatchObject({
        line: expect.stringContaining(by),
        message: expect.stringContaining(says),
      });
    }
  });
  it('an argument that nobody could know', () => {
    const written = handOf(change);
    const [first] = written.reference.calls;
    if (first) first.args = { ...first.args, extra: 'out of thin air' };
    const { message, line } = refused(written);
    expect(message).toContain('neither from the brief nor from an earlier result');
    expect(line).toBe('extra: out of thin air');
  });
  it('a brief that holds an id, in the very line', () => {
    const key = String(change.bindings[0]?.key);
    const text = stringify({ ...handOf(change), brief: `${change.brief}\nIt is the one with id ${key}.\nThanks!` });
    const { message, line } = refusal(text);
    expect(message).toContain('the brief holds an internal id');
    expect(line).toContain(key);
  });
  it('a brief that holds the answer', () => {
    const asked = question.answer;
    const answer = {
      asks: asked?.asks,
      kind: asked?.kind,
      expected: asked?.kind === 'amount' ? question.reference.answer : asked?.expected,
    };
    const told = refused({
      ...handOf(question),
      brief: `${question.brief}\nIs it ${question.reference.answer}?`,
      answer,
    });
    expect(told.message).toContain('the brief holds the answer');
    expect(told.line).toContain(question.reference.answer);
  });
  it('an answer that no call shows', () => {
    const answer = { asks: 'something', kind: 'value', expected: 'Nobody ever wrote this' };
    const { message, line } = refused({ ...handOf(question), answer });
    expect(message).toContain('no call of the reference shows this answer');
    expect(line).toBe('expected: Nobody ever wrote this');
    expect(refused({ ...handOf(question), answer: { ...answer, kind: 'amount', expected: 12 } }).message).toContain(
      'currency',
    );
  });
  it('what it is about, where no row fits or several do', () => {
    const [subject] = change.bindings;
    const about = (where: Written, table = subject?.table): Written => ({
      ...handOf(change),
      about: [{ service: subject?.service, table, where }],
    });
    expect(refused(about({ [subject?.descriptors[0]?.col ?? '']: 'No such thing' })).message).toContain('0 rows of');
    expect(refused(about({})).message).toMatch(/\d+ rows of .* fit/);
    expect(refused(about({ no_such_column: 1 })).line).toContain('no_such_column: 1');
    expect(refused(about({}, 'no_such_table')).line).toContain('no_such_table');
  });
  it('a reference that has to do with another row than the brief', () => {
    const [subject] = change.bindings;
    const service = world.services.get(subject?.service ?? '');
    const table = subject?.table ?? '';
    const spec = service?.spec.tables[table];
    if (!subject || !service || !spec?.label) throw new Error('the change has no subject with a name');
    service.connection.bind(service.pristine);
    const rows = service.connection.prepare(`SELECT * FROM "${table}"`).all();
    const names = rows.map((row) => row[spec.label as string]);
    const other = rows.find(
      (row) =>
        row[spec.key.col] !== subject.key &&
        names.indexOf(row[spec.label as string] ?? null) === names.lastIndexOf(row[spec.label as string] ?? null),
    );
    const about = [{ service: service.id, table, where: { [spec.label]: other?.[spec.label] } }];
    const { message, line } = refused({ ...handOf(change), about });
    expect(message).toContain('row than the task is about');
    expect(line).toContain(`- tool: ${change.reference.calls[last]?.tool}`);
    const [employee] = [...(world.services.get('directory')?.spec ? ['employee'] : [])];
    const elsewhere = { service: 'directory', table: employee, where: { email: change.actor.email } };
    expect(refused({ ...handOf(change), about: [elsewhere] }).message).toContain('shows or uses the row');
  });
  it('a check of a service, table, column, rule or tool that is not there', () => {
    const [subject] = change.bindings;
    const place = { service: subject?.service, table: subject?.table };
    const checked = (check: Written): { message: string; line: string } =>
      refused({ ...handOf(change), checks: [{ kind: 'unchanged' }, check] });
    expect(checked({ kind: 'exists', ...place, service: 'bakery', where: {} }).line).toBe('service: bakery');
    expect(checked({ kind: 'exists', ...place, table: 'bread', where: {} }).line).toBe('table: bread');
    expect(checked({ kind: 'exists', ...place, where: { flour: 1 } }).line).toBe('flour: 1');
    expect(checked({ kind: 'equals', ...place, where: {}, col: 'flour', value: 1 }).line).toBe('col: flour');
    expect(checked({ kind: 'unchanged', except: [{ ...place, cols: ['flour'] }] }).line).toBe('- flour');
    expect(checked({ kind: 'invariant', invariant: 'no_flour' }).line).toBe('invariant: no_flour');
    expect(checked({ kind: 'returned', tools: ['bake'], key: 'x' }).line).toBe('- bake');
    expect(checked({ kind: 'bakes' }).line).toContain('bakes');
    expect(checked({ kind: 'answer' }).message).toContain('none is asked for');
    expect(checked({ kind: 'count', ...place, where: {}, count: -1 }).line).toBe('count: -1');
  });
  it('a check that the reference does not meet, and one that throws', () => {
    const [subject] = change.bindings;
    const absent = { kind: 'absent', service: subject?.service, table: subject?.table, where: {} };
    const { message, line } = refused({ ...handOf(change), checks: [{ kind: 'answer' }, absent].slice(1) });
    expect(message).toContain('the reference fails');
    expect(line).toBe('- kind: absent');
    const answer = { asks: 'a number', kind: 'number', expected: 'many' };
    const thrown = refused({ ...handOf(question), answer });
    expect(thrown.message).toContain('check answer throws');
    expect(thrown.line).toBe('asks: a number');
  });
  it('a task that doing nothing passes, and one whose checks let wrong solutions through', () => {
    const [subject] = change.bindings;
    const exists = { kind: 'exists', service: subject?.service, table: subject?.table, where: {} };
    expect(refused({ ...handOf(change), checks: [exists] }).message).toContain('doing nothing passes');
    const own = change.milestones[0]?.checks.filter(({ kind }) => kind !== 'unchanged') ?? [];
    const loose = refused({ ...handOf(change), checks: own });
    expect(loose.message).toContain('survives');
    expect(loose.line).toContain('- kind');
  });
});

it('a brief says a value in its own words only', () => {
  expect(wordsIn('Order SO-1 of 12', '1')).toBe('1');
  expect(wordsIn('Order SO12', '1')).toBeUndefined();
  expect(wordsIn('In Progress, please', 'in progress')).toBe('In Progress');
  expect(wordsIn('a (b) c', '(b)')).toBe('(b)');
  expect(wordsIn('Straße 5', 'straße')).toBe('Straße');
});

describe('in a corpus', () => {
  const inCorpus = (work: (corpus: Corpus) => void): void => {
    const dir = mkdtempSync(join(tmpdir(), 'treadle-hand-'));
    try {
      const corpus = Corpus.open(dir, true);
      const parts = [...world.services.values()];
      const images = Object.fromEntries(parts.map(({ id, pristine }) => [id, pristine.bytes()]));
      const databases = Object.fromEntries(parts.map(({ id }) => [id, 'a'.repeat(64)]));
      const snapshot = { treadle: 'snapshot/1' as const, world: world.spec.id, databases };
      corpus.writeWorld({
        world: world.spec,
        services: parts.map(({ spec }) => spec),
        images,
        snapshot: snapshot as never,
        certificates: {},
      });
      work(corpus);
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  };
  const page = (text: string): Page => Page.read('t.yaml', text);
  const written = (more: Written) => handTaskOf(page(stringify({ ...handOf(change), ...more })));

  it('it has a world and an id of its own, and outlives the making of others', () => {
    inCorpus((corpus) => {
      const { task, certificate } = admitted(handOf(change));
      const mine = { tasks: [task], certificates: { mine: certificate }, dropped: [] };
      corpus.writeTasks(world.spec.id, mine);
      const none = { tasks: [], certificates: {}, dropped: [] };
      expect(withByHand(corpus, world.spec.id, world.hash, none)).toEqual({ ...none, ...mine });
      expect(withByHand(corpus, world.spec.id, 'b'.repeat(64), none)).toEqual(none);
      const here = page('id: mine\nworld: x\nbrief: y');
      expect(worldFor(corpus, here, written({}))).toBe(world.spec.id);
      expect(() => worldFor(corpus, here, written({ world: 'elsewhere' }))).toThrow(
        /line 2: the corpus has no such world/,
      );
      const other = { brief: 'Something else.' };
      expect(() => idFor(corpus, here, world.spec.id, written(other))).toThrow(
        /line 1: world .* has a task of that id/,
      );
      expect(() => idFor(corpus, here, world.spec.id, written({ id: 'new' }))).toThrow(
        /line 3: the world has a task with/,
      );
      expect(idFor(corpus, here, world.spec.id, written({ ...other, id: undefined }))).toMatch(/-by-hand-001$/);
    });
  });
  it('made tasks are not kept so', () => {
    inCorpus((corpus) => {
      const task = toyTask();
      const proof = {
        treadle: 'certificate/1',
        kind: 'task',
        subject: addressOf(task),
        name: task.id,
        pass: true,
        findings: [],
      };
      corpus.writeTasks(world.spec.id, { tasks: [task], certificates: { [task.id]: proof as never }, dropped: [] });
      const none = { tasks: [], certificates: {}, dropped: [] };
      expect(withByHand(corpus, world.spec.id, world.hash, none)).toBe(none);
    });
  });
});
