import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServiceSpec } from '../../artifacts/service.js';
import type { Step } from '../../artifacts/step.js';
import { compileService } from '../../world/program/compile.js';
import { derivedContract } from '../../world/program/contract.js';
import { Engine } from '../../world/state/engine.js';
import { State } from '../../world/state/state.js';
import { archetypeIds } from './archetype.js';
import { compileArchetype, MAX_TOOLS } from './compile.js';

const all = new Set([...archetypeIds(), 'directory', 'mail', 'chat']);

const tablesOf = (steps: readonly Step[]): { table: string; cols: string[] }[] =>
  steps.flatMap((step) => {
    if ('get' in step) return [{ table: step.get.table, cols: Object.keys(step.get.where) }];
    if ('find' in step) return [{ table: step.find.table, cols: (step.find.where ?? []).map(({ col }) => col) }];
    if ('insert' in step) return [{ table: step.insert.table, cols: Object.keys(step.insert.set) }];
    if ('update' in step)
      return [{ table: step.update.table, cols: [...Object.keys(step.update.where), ...Object.keys(step.update.set)] }];
    if ('delete' in step) return [{ table: step.delete.table, cols: Object.keys(step.delete.where) }];
    if ('if' in step) return tablesOf(step.if.do);
    return 'each' in step ? tablesOf(step.each.do) : [];
  });

describe.each(archetypeIds().flatMap((id) => [[id, 'all'] as const, [id, 'alone'] as const]))(
  '%s, %s',
  (id, beside) => {
    const present = beside === 'all' ? all : new Set([id, 'directory', 'mail', 'chat']);
    const { spec, keys } = compileArchetype(id, 'EUR', present);

    it('is a valid service of a readable size', () => {
      expect(ServiceSpec.safeParse(spec).error?.issues ?? []).toEqual([]);
      const count = Object.keys(spec.tools).length;
      expect(count).toBeGreaterThanOrEqual(12);
      expect(count).toBeLessThanOrEqual(MAX_TOOLS);
      const ids = Object.values(spec.tools).map((tool) => tool.id);
      expect(new Set(ids).size).toBe(ids.length);
      expect(Object.keys(spec.tables).length).toBeGreaterThanOrEqual(3);
    });

    it('names only tables and columns that it has', () => {
      for (const [name, table] of Object.entries(spec.tables)) {
        for (const [col, column] of Object.entries(table.cols))
          if (column.fk) expect(Object.keys(spec.tables), `${name}.${col}`).toContain(column.fk);
        for (const col of [...(table.unique ?? []).flat(), ...(table.label ? [table.label] : [])])
          expect(Object.keys(table.cols), name).toContain(col);
      }
      for (const [name, tool] of Object.entries(spec.tools)) {
        const cols = Object.keys(spec.tables[tool.table]?.cols ?? {});
        for (const arg of Object.values(tool.args)) {
          if (arg.col) expect(cols, name).toContain(arg.col);
          if (arg.ref) expect(Object.keys(spec.tables), name).toContain(arg.ref);
        }
        for (const col of tool.match ?? []) expect(cols, name).toContain(col);
        for (const used of tablesOf(tool.steps ?? []))
          for (const col of used.cols)
            expect(Object.keys(spec.tables[used.table]?.cols ?? {}), `${name}: ${used.table}`).toContain(col);
      }
    });

    it('moves only between states of its enums, and every state can be reached', () => {
      for (const [name, table] of Object.entries(spec.tables)) {
        const { machine } = table;
        if (!machine) continue;
        const states = table.cols[machine.col]?.enum ?? [];
        expect(states).toContain(machine.initial);
        for (const move of machine.moves)
          for (const state of [...move.from, move.to]) expect(states, `${name}.${move.verb}`).toContain(state);
      }
    });

    it('passes to its verbs only arguments that the steps use, and uses only arguments it takes', () => {
      for (const [name, tool] of Object.entries(spec.tools)) {
        if (!tool.steps) continue;
        const text = JSON.stringify(tool.steps);
        for (const [, used] of text.matchAll(/\bargs\.([a-z0-9_]+)/g))
          expect(Object.keys(tool.args), name).toContain(used);
        for (const arg of Object.keys(tool.args))
          expect(text, `${name}: ${arg}`).toMatch(new RegExp(`args\\.${arg}\\b`));
      }
    });

    it('speaks of the people of the directory, so that every world is connected', () => {
      expect(keys.some((key) => key.to.service === 'directory')).toBe(true);
      for (const { from, to } of keys) {
        expect(Object.keys(spec.tables[from.table]?.cols ?? {})).toContain(from.col);
        if (!archetypeIds().includes(to.service)) continue;
        const target = compileArchetype(to.service, 'EUR', all).spec.tables[to.table];
        expect(Object.keys(target?.cols ?? {}), `${from.table}.${from.col} -> ${to.service}.${to.table}`).toContain(
          to.col,
        );
      }
    });
  },
);

describe('contracts', () => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await Engine.start();
  });
  afterAll(() => engine.close());
  it.each(archetypeIds())('%s declares for every tool what its statements really read and write', (id) => {
    const program = compileService(compileArchetype(id, 'EUR', all).spec);
    const connection = engine.connection(program.ddlKey);
    const state = State.open(engine.build(program.ddl, () => {}));
    connection.bind(state);
    for (const [name, { tool }] of program.tools)
      expect({ name, reads: [...tool.reads].sort(), writes: tool.writes }).toEqual({
        name,
        ...derivedContract(program, name, connection),
      });
    state.drop();
  });
});
