/** Whatever a model answers, nothing crashes, and nothing stands in the draft that did not certify. */
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { ServiceSpec } from '../../src/artifacts/service.js';
import { Invariant } from '../../src/artifacts/world.js';
import { authorWithModel } from '../../src/author/model/author.js';
import type { Certify, Judged } from '../../src/author/model/types.js';
import { addressOf } from '../../src/kit/hash.js';
import type { ModelClient } from '../../src/models/types.js';
import { BRIEF, certify, engine } from './fixture.js';
import { goodAnswer, partOf } from './scripted.js';

afterAll(() => engine.close());

const answering = (say: (part: string, nth: number) => string): ModelClient => {
  let nth = 0;
  return {
    model: 'any',
    chat: ({ messages }) =>
      Promise.resolve({ content: say(partOf(messages[1]?.content ?? ''), nth++), calls: [], finish: 'stop' }),
  };
};

/** The same draft is certified once: most answers come to nothing, and then the company alone is looked at again and again. */
const known = new Map<string, Promise<Judged>>();
const certifyOnce: Certify = (draft, only) => {
  const key = addressOf({ draft, only: only ?? null });
  const judged = known.get(key) ?? Promise.resolve(certify(draft, only));
  known.set(key, judged);
  return judged;
};

/** Notes which services passed in the very form in which they are handed back. */
const watched = (): { certify: Certify; passed: Set<string> } => {
  const passed = new Set<string>();
  return {
    passed,
    certify: async (draft, only) => {
      const judged = await certifyOnce(draft, only);
      for (const { spec } of draft.services) if (judged.services[spec.id]?.pass) passed.add(JSON.stringify(spec));
      return judged;
    },
  };
};

const holds = async (say: (part: string, nth: number) => string): Promise<string> => {
  const { certify: watching, passed } = watched();
  const budget = { rounds: 14 };
  const { draft, report } = await authorWithModel({
    model: answering(say),
    source: { brief: BRIEF },
    seed: '1',
    certify: watching,
    budget,
  });
  for (const { spec, role } of draft.services) {
    expect(ServiceSpec.safeParse(spec).success).toBe(true);
    if (role === 'domain') expect(passed.has(JSON.stringify(spec)), spec.id).toBe(true);
  }
  for (const rule of draft.invariants) expect(Invariant.safeParse(rule).success).toBe(true);
  expect(report.spent.rounds).toBeLessThanOrEqual(14);
  expect(report.services.filter(({ kept }) => kept)).toHaveLength(draft.services.length - 3);
  return report.outcome;
};

it('arbitrary JSON and text', async () => {
  const anything = fc.oneof(fc.json({ maxDepth: 4 }), fc.string());
  await fc.assert(
    fc.asyncProperty(fc.array(anything, { minLength: 1, maxLength: 8 }), async (said) => {
      expect(await holds((_, nth) => said[nth % said.length] as string)).toBe('nothing');
    }),
    { numRuns: 25 },
  );
}, 120_000);

type Path = number[];
/** Every text, number and list of a value, by the way to it. */
const places = (value: unknown, at: Path = []): Path[] => {
  if (typeof value !== 'object' || value === null) return [at];
  return [at, ...Object.values(value).flatMap((item, n) => places(item, [...at, n]))];
};
const replaced = (value: unknown, [here, ...rest]: Path, by: unknown): unknown => {
  if (here === undefined) return by;
  if (Array.isArray(value)) return value.map((item, n) => (n === here ? replaced(item, rest, by) : item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item], n) => [key, n === here ? replaced(item, rest, by) : item]),
  );
};

const odd = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom<unknown>(
    '',
    '__proto__',
    'constructor',
    "'; DROP TABLE x; --",
    'row.x',
    '$args.id',
    'id',
    'status',
    'one a|b',
    'fk! loan',
    'no X-',
    -1,
    1e21,
    [],
    {},
    [[]],
    null,
    'x'.repeat(5000),
    '{"a":1}',
    'true',
    'select',
    'sqlite_master',
    'now',
    'lending.loan.x',
    '\u0000',
    '面包',
    'text! unique',
    "row.name == 'x' ? 1 : 'a'",
  ),
);

it('good answers with one thing changed in each', async () => {
  const outcomes: string[] = [];
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.nat(), odd), { minLength: 6, maxLength: 6 }),
      fc.nat(13),
      async (changes, from) => {
        outcomes.push(
          await holds((part, nth) => {
            const answer = goodAnswer(part);
            const [where, by] = changes[nth % changes.length] as [number, unknown];
            const all = places(answer);
            return nth < from
              ? JSON.stringify(answer)
              : (JSON.stringify(replaced(answer, all[where % all.length] as Path, by)) ?? 'undefined');
          }),
        );
      },
    ),
    { numRuns: 12 },
  );
  expect(outcomes.filter((outcome) => outcome !== 'nothing').length).toBeGreaterThan(0);
}, 400_000);
