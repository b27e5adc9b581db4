/** 12. isolation and secrecy: sessions at once never see each other, reset goes back to the start, and no secret is ever shown. */
import { homedir } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { WorldSpec } from '../../artifacts/world.js';
import { sha256 } from '../../kit/hash.js';
import { Session } from '../../serve/sessions/session.js';
import type { LoadedWorld } from '../../world/loaded.js';
import type { Probe } from '../probes.js';
import type { Notes, WorldSubject, WorldValidator } from '../validator.js';
import { takeNotes } from '../validator.js';

type Calls = readonly { tool: string; args: unknown }[];

/** Texts shorter than this are found by chance. */
const LEAST_SECRET = 6;
/** Calls of one service in each session; tools that run code come first, since only they could keep something. */
const WRITES = 4;
const READS = 3;

interface Secret {
  what: string;
  text: string;
}

/** The world with a canary in everything that an agent must not see. */
const planted = (world: LoadedWorld, canary: string): LoadedWorld => {
  const invariants: WorldSpec['invariants'] = world.spec.invariants.map((invariant) => ({
    ...invariant,
    id: `${canary}_${invariant.id}`.slice(0, 63),
    says: `${invariant.says} ${canary}`,
    violatedBy: `${canary}.${invariant.violatedBy}`,
    repairedBy: `${canary}.${invariant.repairedBy}`,
  }));
  const { spec } = world;
  return {
    ...world,
    spec: { ...spec, id: `${canary}_${spec.id}`.slice(0, 63), seed: `${canary}/${spec.seed}`, invariants },
  };
};

/** What of this very world must not be read by an agent. */
const secretsOf = ({ spec }: LoadedWorld, canary: string): Secret[] =>
  [
    { what: 'a canary', text: canary },
    { what: 'a path of this machine', text: fileURLToPath(new URL('../../..', import.meta.url)) },
    { what: 'a path of this machine', text: `${homedir()}/` },
    ...spec.invariants.flatMap(({ id, trigger, target }) => [
      { what: `invariant ${id}`, text: id },
      { what: `the condition of invariant ${id}`, text: trigger.where },
      { what: `the condition of invariant ${id}`, text: target.where },
    ]),
  ].filter(({ text }) => text.length >= LEAST_SECRET);

const called = (session: Session, calls: Calls, into: string[]): void => {
  for (const { tool, args } of calls) into.push(JSON.stringify(session.call(tool, args).result));
};

const opened = (world: LoadedWorld, me: WorldSubject['me'], id: string): Session =>
  Session.open(world, { id, me, isUnversioned: true });

const alone = (
  world: LoadedWorld,
  me: WorldSubject['me'],
  calls: Calls,
  id: string,
): { seen: string[]; state: string } => {
  const session = opened(world, me, id);
  const seen: string[] = [];
  called(session, calls, seen);
  const state = session.hash();
  session.drop();
  return { seen, state };
};

const stepsOf = (probes: readonly Probe[]): Calls =>
  probes.flatMap(({ name, args, before = [] }) => (args === undefined ? [] : [...before, { tool: name, args }]));

/** A few probes of each service. */
const someOf = (probes: readonly Probe[], readOnly: boolean, most: number): Probe[] => {
  const taken = new Map<string, number>();
  const fitting = probes.filter(({ args, tool }) => args !== undefined && tool.tool.readOnly === readOnly);
  const codeFirst = fitting.sort((a, b) => Number(isCode(b)) - Number(isCode(a)));
  return codeFirst.filter((probe) => {
    const { id } = probe.tool.service;
    const nth = taken.get(id) ?? 0;
    taken.set(id, nth + 1);
    return nth < most;
  });
};

const isCode = ({ tool }: Probe): boolean => tool.tool.tool.op === 'code';

/** One session writes, the other reads and writes the same rows in another order, call by call in turn. */
const checkIsolation = (subject: WorldSubject, world: LoadedWorld, notes: Notes): string[] => {
  const { me, probes } = subject;
  const writes = someOf(probes, false, WRITES);
  const reads = someOf(probes, true, READS);
  const [first, second] = [stepsOf(writes), stepsOf([...reads, ...[...writes].reverse()])];
  const lone = [alone(world, me, first, 'first'), alone(world, me, second, 'second')] as const;
  const sessions = [opened(world, me, 'first'), opened(world, me, 'second')] as const;
  const start = sessions[0].hash();
  const seen: [string[], string[]] = [[], []];
  for (let i = 0; i < Math.max(first.length, second.length); i++) {
    called(sessions[0], first.slice(i, i + 1), seen[0]);
    called(sessions[1], second.slice(i, i + 1), seen[1]);
  }
  for (const [who, session] of sessions.entries()) {
    const own = lone[who] as (typeof lone)[number];
    const at = own.seen.findIndex((line, i) => line !== seen[who]?.[i]);
    const { tool } = ((who === 0 ? first : second)[at] ?? {}) as { tool?: string };
    if (at !== -1)
      notes.against(
        `${tool} answered otherwise while another session was at work`,
        'steps',
        'Keep nothing outside the session that a call can read.',
      );
    else if (session.hash() !== own.state)
      notes.against('a session ended otherwise while another was at work', 'steps', 'Keep all state in the session.');
  }
  sessions[0].reset();
  if (sessions[0].hash() !== start || start !== sha256(pristineText(world)))
    notes.against('reset does not go back to the initial state', 'steps', 'Keep all state in the session.');
  for (const session of sessions) session.drop();
  notes.saw(
    `${first.length} and ${second.length} calls in two sessions at once and alone: the same answers and states; reset goes back`,
  );
  return [...seen[0], ...seen[1]];
};

/** The text behind a session's hash in the initial state, worked out from the images. */
const pristineText = ({ services }: LoadedWorld): string =>
  [...services.values()].map(({ id, pristine }) => `${id}:${pristine.base.hash}`).join('\n');

const checkSecrecy = (world: LoadedWorld, canary: string, shown: readonly string[], notes: Notes): void => {
  const secrets = secretsOf(world, canary);
  const known = new Set<Secret>();
  for (const { id, pristine } of world.services.values()) {
    const image = Buffer.from(pristine.base.image);
    for (const secret of secrets.filter(({ text }) => image.includes(text))) {
      known.add(secret);
      notes.against(`the data of ${id} holds ${secret.what}`, 'data', 'Seed nothing that only a verifier may know.');
    }
  }
  // What is in the data is shown by right: that it is there at all is the fault.
  for (const { what, text } of secrets.filter((secret) => !known.has(secret)))
    if (shown.some((line) => line.includes(text)))
      notes.against(`a tool's output shows ${what}`, 'contract', 'Keep it out of what tools return.');
  notes.saw(`${secrets.length} secrets, canaries among them, are in no tool's listing, output or data`);
};

export const isolation: WorldValidator = {
  id: 'isolation',
  number: 12,
  title: 'Sessions and secrets are kept apart',
  run: (subject) => {
    const notes = takeNotes();
    const { world, me } = subject;
    const canary = `canary_${sha256(`${world.hash} ${world.spec.seed}`).slice(0, 12)}`;
    const marked = planted(world, canary);
    const outputs = checkIsolation(subject, marked, notes);
    const session = opened(marked, me, canary);
    outputs.push(JSON.stringify(session.tools()));
    session.drop();
    checkSecrecy(world, canary, outputs, notes);
    return notes.finding('isolation');
  },
};
