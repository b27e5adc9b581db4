/** Every entry runs: on a row it works on, on one it must refuse, on one that is done already, and on none. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canonicalJson } from '../../kit/hash.js';
import { Engine } from '../../world/state/engine.js';
import { lexicon, senseOf } from './load.js';
import { bare, poor, rich } from './made-up.fixture.js';
import type { VerbMatch } from './types.js';
import { argsFor, worldOf } from './workbench.fixture.js';

const lex = lexicon();
/** One case an entry and sense, on the first kind it is meant for. */
const cases = lex.verbs.flatMap((verb) => {
  const entry = lex.entry(verb);
  const kindOf = (on: readonly string[]): string => on[0] ?? 'any';
  const senses = (entry.senses ?? []).map(
    (sense, i): VerbMatch => ({ verb, word: verb, kind: kindOf(sense.on), sense: i }),
  );
  return [{ verb, word: verb, kind: kindOf(entry.on) } as VerbMatch, ...senses];
});

let engine: Engine;
beforeAll(async () => {
  engine = await Engine.start();
});
afterAll(() => engine.close());

describe('the lexicon at work', () => {
  it('runs every entry on a rich service, with the contract it declares', () => {
    const faults: string[] = [];
    const never: string[] = [];
    for (const match of cases) {
      const label = `${match.verb}@${match.kind}`;
      const noun = lex.kinds[match.kind]?.cues[0] ?? 'gadget';
      const world = worldOf(engine, { match, noun, tables: rich(noun, senseOf(lex.entry(match.verb), match.sense)) });
      if (!world) {
        faults.push(`${label}: not compiled`);
        continue;
      }
      const sorted = (writes: typeof world.derived.writes) =>
        writes
          .map((write) => ({ ...write, ...(write.cols ? { cols: [...write.cols].sort() } : {}) }))
          .sort((a, b) => (a.table < b.table ? -1 : 1));
      if (canonicalJson(sorted(world.derived.writes)) !== canonicalJson(sorted(world.made.tool.writes)))
        faults.push(
          `${label}: writes ${JSON.stringify(world.derived.writes)} declared ${JSON.stringify(world.made.tool.writes)}`,
        );
      if (JSON.stringify(world.derived.reads) !== JSON.stringify([...world.made.tool.reads].sort()))
        faults.push(`${label}: reads ${world.derived.reads} declared ${world.made.tool.reads}`);
      const outcomes = world.rows.map((row) => ({ row, outcome: world.bench().call(argsFor(world, row.id!)) }));
      for (const { row, outcome } of outcomes)
        if (
          !outcome.ok &&
          (outcome.error.fault !== 'agent' || world.made.tool.errors?.[outcome.error.code] !== outcome.error.status)
        )
          faults.push(`${label} ${row.status}: ${JSON.stringify(outcome.error)}`);
      if (!outcomes.some(({ outcome }) => outcome.ok))
        never.push(
          `${label}: ${outcomes.map(({ row, outcome }) => `${row.status}=${outcome.ok ? '' : `${outcome.error.code} ${outcome.error.message}`}`).join(' | ')}`,
        );
      const none = world.bench().call(argsFor(world, 'nobody'));
      expect(none.ok ? 200 : none.error.status, label).toBe(404);
    }
    expect(faults).toEqual([]);
    expect(never).toEqual([]);
  });

  it('runs every entry on a poor and on a bare service', () => {
    const faults: string[] = [];
    for (const match of cases)
      for (const tables of [poor('gadget'), bare('gadget')]) {
        const world = worldOf(engine, { match, noun: 'gadget', tables });
        if (!world) continue;
        const outcomes = world.rows.map((row) => world.bench().call(argsFor(world, row.id!)));
        for (const outcome of outcomes)
          if (!outcome.ok && outcome.error.fault !== 'agent') faults.push(`${match.verb}: ${outcome.error.message}`);
        if (!outcomes.some((outcome) => outcome.ok))
          faults.push(`${match.verb} never works on ${Object.keys(tables.gadget!.cols)}: ${JSON.stringify(outcomes)}`);
      }
    expect(faults).toEqual([]);
  });
});
