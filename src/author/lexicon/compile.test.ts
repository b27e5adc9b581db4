import { describe, expect, it } from 'vitest';
import { Tool } from '../../artifacts/tool.js';
import { compileVerb } from './compile.js';
import { lexicon, senseOf } from './load.js';
import { bare, poor, rich } from './made-up.fixture.js';
import type { CompiledVerb, VerbMatch } from './types.js';

const lex = lexicon();
/** Every entry on a noun of each of its kinds. */
const cases = lex.verbs.flatMap((verb) =>
  lex
    .entry(verb)
    .on.map((kind) => ({ verb, kind, noun: lex.kinds[kind]?.cues.find((cue) => !cue.includes('_')) ?? kind })),
);
const matchFor = (verb: string, kind: string): VerbMatch => {
  const sense = lex.entry(verb).senses?.findIndex((one) => one.on.includes(kind)) ?? -1;
  return { verb, word: verb, kind, ...(sense >= 0 ? { sense } : {}) };
};
const compile = (
  verb: string,
  kind: string,
  noun: string,
  tables: Parameters<typeof compileVerb>[1]['tables'],
): CompiledVerb | undefined =>
  compileVerb(matchFor(verb, kind), { tables, table: noun, toolId: `${noun}.${verb}`, keyArg: { name: `${noun}_id` } });

describe('compileVerb', () => {
  it('compiles every verb on a made-up table of each of its kinds', () => {
    const failed: string[] = [];
    for (const { verb, kind, noun } of cases) {
      const match = matchFor(verb, kind);
      const made = compile(verb, kind, noun, rich(noun, senseOf(lex.entry(verb), match.sense)));
      if (!made || !Tool.safeParse(made.tool).success) failed.push(`${verb}@${kind}`);
    }
    expect(cases.length).toBeGreaterThan(1_000);
    expect(failed).toEqual([]);
  });

  it('writes only what is there, or adds a status or a stamp and says so', () => {
    for (const { verb, kind, noun } of cases) {
      for (const tables of [poor(noun), bare(noun)]) {
        const made = compile(verb, kind, noun, tables);
        if (!made) continue;
        const cols = { ...tables[noun]!.cols, ...made.addedColumns[noun] };
        for (const write of made.tool.writes)
          for (const col of write.cols ?? []) expect(Object.keys(cols)).toContain(col);
        expect(made.grounds.includes('added')).toBe(Object.keys(made.addedColumns).length > 0);
        expect(made.tool.provenance).toMatchObject({ tier: 'lexicon' });
      }
    }
  });
});
