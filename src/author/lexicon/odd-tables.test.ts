/** Whatever columns a document has, of whatever type: what the lexicon compiles always compiles on as a program, as declared. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Column, ColumnType, Table } from '../../artifacts/table.js';
import { canonicalJson } from '../../kit/hash.js';
import { Engine } from '../../world/state/engine.js';
import { lexicon, senseOf } from './load.js';
import { rich } from './made-up.fixture.js';
import { matchVerb } from './match.js';
import { argsFor, worldOf } from './workbench.fixture.js';

const lex = lexicon();
const TYPES: ColumnType[] = ['text', 'int', 'number', 'bool', 'date', 'datetime', 'money', 'json'];
const NOUNS = [
  'order',
  'invoice',
  'payment',
  'ticket',
  'person',
  'bank_account',
  'stock_item',
  'booking',
  'gadget',
  'document',
];

let engine: Engine;
beforeAll(async () => {
  engine = await Engine.start();
});
afterAll(() => engine.close());

/** A table's columns with their types, nullness and enums drawn anew, and some of them gone. */
const oddTable = (table: Table, draw: (n: number) => number, names: readonly string[]): Table => {
  const cols: Record<string, Column> = {};
  for (const [name, col] of Object.entries(table.cols)) {
    if (name === table.key.col) {
      cols[name] = col;
      continue;
    }
    if (draw(6) === 0 && !col.fk) continue;
    if (col.fk || draw(3) === 0) {
      cols[name] = { ...col, ...(draw(2) ? { required: true } : {}) };
      continue;
    }
    const type = TYPES[draw(TYPES.length)] as ColumnType;
    const odd: Column = { type };
    if (draw(2)) odd.required = true;
    if (type === 'text' && draw(3) === 0) odd.enum = col.enum ?? ['open', 'CANCELED', 'done'];
    if (type === 'text' && draw(6) === 0) odd.fk = names[draw(names.length)] as string;
    if (odd.fk) delete odd.enum;
    cols[name] = odd;
  }
  const { label: _, ...rest } = table;
  return { ...rest, cols };
};

it('compiles on odd tables', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...lex.verbs),
      fc.constantFrom(...NOUNS),
      fc.infiniteStream(fc.nat(1_000_000)),
      fc.boolean(),
      (verb, noun, stream, documented) => {
        const match = matchVerb(verb, noun) ?? { verb, word: verb, kind: 'any' };
        const draw = (n: number): number => (stream.next().value as number) % n;
        const given = rich(noun, senseOf(lex.entry(match.verb), match.sense));
        const names = Object.keys(given);
        const tables = Object.fromEntries(names.map((name) => [name, oddTable(given[name]!, draw, names)]));
        const bodyArgs = documented
          ? Object.fromEntries(
              Object.keys(lex.entry(match.verb).args).map((name) => [
                name,
                { type: TYPES[draw(TYPES.length)]!, role: 'input' as const, ...(draw(2) ? { required: true } : {}) },
              ]),
            )
          : undefined;
        const world = worldOf(engine, {
          match,
          noun,
          tables,
          ...(bodyArgs ? { request: { bodyArgs } } : {}),
        });
        if (!world) return;
        const sorted = (writes: typeof world.derived.writes) =>
          writes
            .map((write) => ({ ...write, ...(write.cols ? { cols: [...write.cols].sort() } : {}) }))
            .sort((a, b) => (a.table < b.table ? -1 : 1));
        expect(canonicalJson(sorted(world.derived.writes))).toBe(canonicalJson(sorted(world.made.tool.writes)));
        expect(world.derived.reads).toEqual([...world.made.tool.reads].sort());
        for (const row of world.rows.slice(0, 6)) {
          const outcome = world.bench().call(argsFor(world, row.id ?? ''));
          if (!outcome.ok) expect(outcome.error, outcome.error.message).toMatchObject({ fault: 'agent' });
        }
      },
    ),
    { numRuns: Number(process.env.ODD ?? 60), seed: process.env.ODD ? undefined : 7 },
  );
});
