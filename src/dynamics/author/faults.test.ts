/** Fault events on made worlds: what lies or is closed is noticed and got around, and what could not be is refused. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { catalogueWorld } from '../../../test/tasks/worlds.js';
import type { ScenarioEvent } from '../../artifacts/scenario.js';
import { rng } from '../../kit/rng.js';
import { generateTasks } from '../../tasks/generate.js';
import { type LoadedWorld, unloadWorld } from '../../world/loaded.js';
import { type Candidate, type Decision, decide } from './accept.js';
import { believing } from './believing.js';
import { closures } from './closures.js';
import { detours } from './detours.js';
import { lies } from './lies.js';
import { looksOf } from './looks.js';
import { type Stage, tryOut } from './trial.js';

type Tried = { stage: Stage; candidate: Candidate; decision: Decision };

let world: LoadedWorld;
let tried: Tried[];
beforeAll(async () => {
  world = await catalogueWorld('a clinic in Toronto', 'faults', ['billing', 'clinical_scheduling']);
  const tasks = generateTasks(world, { count: 14, seed: 'faults' }).tasks.filter(({ task }) => !task.grounding);
  tried = tasks.flatMap(({ task }) => {
    const stage: Stage = { world, task };
    return [lies, closures]
      .flatMap((make) => make(stage, rng('f', task.id)))
      .map((candidate) => ({ stage, candidate, decision: decide(stage, candidate, 's') }));
  });
}, 240_000);
afterAll(() => unloadWorld(world));

const faultOf = ({ effect }: ScenarioEvent) => ('fault' in effect ? effect.fault : undefined);
const of = (profile: string): Tried[] =>
  tried.filter(({ candidate, decision }) => decision.accepted && faultOf(candidate.event)?.profile === profile);
const first = (profile: string): Tried => of(profile)[0] as Tried;

describe('a tool that fails or lies', () => {
  it.each(['P2', 'P3', 'P4'])('%s: there are accepted ones', (profile) =>
    expect(of(profile).length).toBeGreaterThan(0),
  );

  it('is refused rarely', () =>
    expect(tried.filter(({ decision }) => !decision.accepted).length * 5).toBeLessThan(tried.length));

  it.each(['P3', 'P4'])(
    '%s lies to the re-solved reference once before it is contradicted, and misleads who believes',
    (profile) => {
      for (const { stage, decision } of of(profile)) {
        if (!decision.accepted) continue;
        const solved = tryOut(stage, decision.scenario, decision.reference);
        const stale = tryOut(stage, decision.scenario, believing(stage));
        expect(solved.session.ledger.filter(({ injected }) => injected?.profile === profile).length).toBeGreaterThan(0);
        expect(stale.session.ledger.some(({ injected }) => injected?.profile === profile)).toBe(true);
        expect([solved.verdict.pass, stale.verdict.pass]).toEqual([true, false]);
        for (const { session } of [solved, stale]) session.drop();
      }
    },
  );

  it('P2: the reference meets the failure and sees the same by another tool, where later arguments come from', () => {
    for (const { stage, candidate, decision } of of('P2')) {
      if (!decision.accepted) continue;
      const { tool } = faultOf(candidate.event) as { tool: string };
      const { session } = tryOut(stage, decision.scenario, decision.reference);
      const failed = session.ledger.findIndex(({ ok, error }) => !ok && error?.fault === 'injected');
      expect(session.ledger[failed]?.tool).toBe(tool);
      expect(session.ledger[failed + 1]).toMatchObject({ ok: true, tool: expect.not.stringContaining(`^${tool}$`) });
      for (const { call, arg, from } of decision.reference.sources) {
        if (!('observed' in from)) continue;
        expect(from.observed === failed, `${stage.task.id} ${call} ${arg}`).toBe(false);
      }
      session.drop();
    }
  });

  it('is the same each time', () => {
    const { stage } = first('P3');
    expect(lies(stage, rng('f', stage.task.id))).toEqual(lies({ ...stage }, rng('f', stage.task.id)));
  });
});

describe('a write that is closed', () => {
  it('is done by another tool that leaves the same row', async () => {
    const shop = await catalogueWorld('a software company in Dublin', 'detours', ['devops']);
    const tasks = generateTasks(shop, { count: 18, seed: 'detours' }).tasks.filter(({ task }) => !task.grounding);
    const made = tasks.flatMap(({ task }) => {
      const stage = { world: shop, task };
      return detours(stage, rng('d', task.id)).map((candidate) => ({
        task,
        event: candidate.event,
        decision: decide(stage, candidate, 's'),
      }));
    });
    expect(made.filter(({ decision }) => decision.accepted).length).toBeGreaterThan(0);
    for (const { task, event, decision } of made) {
      if (!decision.accepted) continue;
      const [closed, other] = event.reference.insert;
      expect(closed).toEqual(task.reference.calls[event.reference.from]);
      expect(other?.tool).not.toBe(closed?.tool);
    }
    unloadWorld(shop);
  });
});

describe('refused is', () => {
  const changed = ({ stage, candidate }: Tried, change: (event: ScenarioEvent) => Partial<ScenarioEvent>): Decision =>
    decide(stage, { ...candidate, event: { ...candidate.event, ...change(candidate.event) } }, 's');
  const withFault = (event: ScenarioEvent, fault: { tool?: string; profile?: 'P3' | 'P4'; about?: string }) => ({
    effect: { fault: { ...(faultOf(event) as { tool: string; profile: 'P3' }), ...fault } },
  });

  it('a fault of a tool that is not there', () =>
    expect(changed(first('P2'), (event) => withFault(event, { tool: 'no_such_tool' }))).toMatchObject({
      accepted: false,
      rule: 'applies',
      evidence: expect.stringContaining('no_such_tool'),
    }));

  it('a tool that writes and is to lie', () => {
    const writer = [...world.tools].find(
      ([, { tool, service }]) => tool.tool.writes.length > 0 && service.id === 'billing',
    )?.[0];
    const one = of('P3').find(({ stage }) => stage.task.services.includes('billing')) as Tried;
    expect(changed(one, (event) => withFault(event, { tool: writer as string }))).toMatchObject({
      accepted: false,
      rule: 'applies',
      evidence: expect.stringContaining('writes'),
    });
  });

  it('a lasting lie without a second source', () => {
    const one = first('P4');
    expect(changed(one, ({ notify }) => ({ notify: { ...notify, discoverBy: [] } }))).toMatchObject({
      rule: 'noticeable',
    });
    expect(
      changed(one, ({ reference }) => ({ reference: { ...reference, insert: reference.insert.slice(0, 1) } })),
    ).toMatchObject({
      accepted: false,
      rule: 'noticeable',
      evidence: expect.stringContaining('contradicts'),
    });
  });

  it('a lasting lie that is looked at again by the same tool alone', () => {
    const one = first('P4');
    const look = looksOf(one.stage).find(({ tool }) => tool.name === faultOf(one.candidate.event)?.tool);
    const insert = look ? [look.call] : [];
    const decision = changed(one, ({ reference, notify }) => ({
      reference: { insert, from: reference.from, drop: 0 },
      notify: { ...notify, discoverBy: insert.map(({ tool }) => tool) },
    }));
    expect(decision).toMatchObject({ accepted: false, rule: 'noticeable' });
  });

  it('a lie about something that nobody needs', () => {
    const decisions = of('P3').flatMap((one) => {
      const { stage } = one;
      const look = looksOf(stage).find(({ tool }) => tool.name === faultOf(one.candidate.event)?.tool);
      const unused = JSON.stringify(look?.result).match(/"(created\w*|updated\w*)":/i)?.[1];
      const path = look?.uses[0]?.row && unused ? [look.uses[0].row.at, unused].filter(Boolean).join('.') : undefined;
      return path ? [changed(one, (event) => withFault(event, { about: path }))] : [];
    });
    expect(decisions.length).toBeGreaterThan(0);
    expect(decisions.some((one) => !one.accepted && one.rule === 'has_consequences')).toBe(true);
  });
});
