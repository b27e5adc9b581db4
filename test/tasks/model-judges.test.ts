/** A model that judges and rewords tasks and judges services: what it says is kept, and what it cannot say costs nothing. */
import { beforeAll, describe, expect, it } from 'vitest';
import { addressOf, canonicalJson } from '../../src/kit/hash.js';
import { rng } from '../../src/kit/rng.js';
import { defaultProfiles } from '../../src/tasks/compose/profiles.js';
import { Sampler } from '../../src/tasks/compose/sample.js';
import type { Supply } from '../../src/tasks/compose/supply.js';
import { generateTasks, type Library } from '../../src/tasks/generate.js';
import { prepareGround } from '../../src/tasks/ground/ground.js';
import { groundFor } from '../../src/tasks/ground/grounded.js';
import { libraryReport } from '../../src/tasks/library/report.js';
import { worldLibrary } from '../../src/tasks/library/world.js';
import { accountOf } from '../../src/tasks/model/account.js';
import { modelJudge } from '../../src/tasks/model/coherence.js';
import { TaskModels } from '../../src/tasks/model/models.js';
import { sampleWithModel } from '../../src/tasks/model/sampled.js';
import { passes } from '../../src/tasks/replay.js';
import type { LoadedWorld } from '../../src/world/loaded.js';
import { deskFor, type Script, scripted } from './model-scripts.js';
import { catalogueWorld } from './worlds.js';

let world: LoadedWorld;
let plain: Library;
const WANTED = { count: 6, seed: 'gate' };

beforeAll(async () => {
  world = await catalogueWorld('a software company in Dublin with a help desk', 'library', ['billing', 'support_desk']);
  plain = generateTasks(world, WANTED);
  expect(plain.tasks).toHaveLength(6);
}, 120_000);

const modelsOf = (script: Script, work: { judge?: boolean; reword?: boolean }, budget = {}) => {
  const model = scripted(script);
  return { model, models: new TaskModels(deskFor(model, budget), { judge: false, reword: false, ...work }) };
};
const yes = { does: true, reason: 'Exactly that is done.' };
const verdicts = ({ tasks }: Library) =>
  tasks.map(({ certificate }) => certificate.findings.find(({ id }) => id === 'semantic_acceptance'));

describe('the account of a reference', () => {
  it('tells request, calls with results, changes and reply, and no check', () => {
    const ground = prepareGround(world);
    for (const { task } of plain.tasks) {
      const account = accountOf(ground, task);
      expect(account).toContain(task.brief);
      for (const { tool } of task.reference.calls) expect(account).toContain(tool);
      expect(account).toContain(`Reply at the end: ${task.reference.answer}`);
      expect(account).not.toMatch(/footprint|distractors|"kind"|unchanged/);
      const isChange = task.milestones.some(({ checks }) => checks.some(({ kind }) => kind === 'equals'));
      if (isChange) expect(account).toMatch(/- (?:new|changed|deleted): /);
    }
  });
});

describe('semantic acceptance', () => {
  it('keeps what the model accepts, with its verdict as a line of the certificate', async () => {
    const { models, model } = modelsOf(() => yes, { judge: true });
    const made = await sampleWithModel(world, WANTED, models);
    expect(canonicalJson(made.tasks.map(({ task }) => task))).toBe(canonicalJson(plain.tasks.map(({ task }) => task)));
    for (const line of verdicts(made))
      expect(line).toMatchObject({ pass: true, evidence: ['scripted: Exactly that is done.'] });
    expect(models.take().judged).toEqual({ accepted: 6, refused: 0, unclear: 0 });
    expect(model.asked).toHaveLength(6);
    expect(model.asked[0]?.prompt).toMatch(/<record>\nRequest of /);
  }, 120_000);

  it('drops what it refuses, with its reason, and draws others instead', async () => {
    const bad = plain.tasks[1]?.task.brief ?? '';
    const { models } = modelsOf(
      ({ prompt }) => (prompt.includes(bad) ? { does: false, reason: 'The wrong one.' } : yes),
      { judge: true },
    );
    const made = await sampleWithModel(world, WANTED, models);
    expect(made.tasks).toHaveLength(6);
    expect(made.tasks.map(({ task }) => task.brief)).not.toContain(bad);
    expect(made.dropped.map(({ reason }) => reason)).toContain('semantic_acceptance: The wrong one.');
    const { accepted, ...rest } = models.take().judged;
    expect(rest).toEqual({ refused: 1, unclear: 0 });
    // What is drawn instead changes which parts go together.
    expect(accepted).toBeGreaterThanOrEqual(6);
  }, 120_000);

  it('takes what cannot be read for no verdict, and says how often', async () => {
    const said = ['Looks fine to me!', '{"does": "maybe"}', '{"verdict": true}', '[]'];
    const { models, model } = modelsOf(({ nth }) => said[nth % said.length], { judge: true });
    const made = await sampleWithModel(world, WANTED, models);
    expect(made.tasks).toHaveLength(6);
    expect(verdicts(made)).toEqual(Array(6).fill(undefined));
    expect(models.take().judged).toEqual({ accepted: 0, refused: 0, unclear: 6 });
    expect(model.asked).toHaveLength(12);
  }, 120_000);

  it('comes to an end with a judge that refuses everything, and with a budget that is used up', async () => {
    const none = modelsOf(() => ({ does: false, reason: 'No.' }), { judge: true });
    const made = await sampleWithModel(world, { count: 1, seed: 'gate' }, none.models);
    expect(none.models.take().judged).toMatchObject({ accepted: 0, unclear: 0 });
    expect(made.dropped.filter(({ reason }) => reason === 'semantic_acceptance: No.').length).toBeGreaterThan(0);
    const short = modelsOf(() => yes, { judge: true }, { rounds: 2 });
    const some = await sampleWithModel(world, WANTED, short.models);
    expect(some.tasks).toHaveLength(6);
    expect(short.models.take()).toMatchObject({
      judged: { accepted: 2, unclear: 4 },
      ended: expect.stringMatching(/2 rounds/),
    });
  }, 120_000);

  it('sends refusals back to the author of a library, and counts them by the line', async () => {
    const { models } = modelsOf(
      ({ nth }) => (nth % 2 === 0 ? yes : { does: false, reason: 'Not that.' }),
      {
        judge: true,
      },
      { rounds: 1000, tokens: 10_000_000 },
    );
    const settings = { seed: 'library', coverage: 0.9, rounds: 1 };
    const library = await worldLibrary(world, {
      ...settings,
      model: { name: 'scripted', author: 'embedded', judge: true, rewrite: false },
      models,
    });
    const report = libraryReport(world, library, settings, [], models.take());
    const { refused = 0, accepted = 0 } = report.byModel?.judged ?? {};
    expect(refused).toBeGreaterThan(5);
    expect(report.gate.dropped.semantic_acceptance).toBe(refused);
    const failures = library.services.flatMap(({ result }) =>
      result.failures.flatMap(({ diagnostics }) => diagnostics),
    );
    expect(failures).toContain('semantic_acceptance: scripted: Not that.');
    expect(library.tasks.length).toBeLessThanOrEqual(accepted);
  }, 240_000);
});

/** The brief between the marks, put a little otherwise. */
const politely: Script = ({ prompt }) => {
  const brief = /<request>\n([\s\S]*?)\n<\/request>/.exec(prompt)?.[1] ?? '';
  return { brief: `${brief} Many thanks in advance.` };
};

describe('other words', () => {
  it('are taken where they say the same, and the task is gated again under its new hash', async () => {
    const { models } = modelsOf(politely, { reword: true });
    const made = await sampleWithModel(world, WANTED, models);
    const { changed, kept } = models.take().reworded;
    expect(changed + Object.values(kept).reduce((sum, n) => sum + n, 0)).toBe(6);
    expect(changed).toBeGreaterThanOrEqual(5);
    const ground = prepareGround(world);
    const reworded = made.tasks.filter(({ task }) => task.brief.endsWith('Many thanks in advance.'));
    expect(reworded).toHaveLength(changed);
    for (const { task, certificate } of made.tasks) {
      expect(certificate).toMatchObject({ pass: true, subject: addressOf(task) });
      const own = groundFor(ground, task);
      expect(passes(own.ground, task, task.reference, addressOf(task))).toBe(true);
      own.drop();
    }
  }, 120_000);

  it.each<[string, Script, RegExp]>([
    ['lose a fact', () => ({ brief: 'Please do the thing we spoke of.' }), /it lost/],
    ['are no JSON', () => 'Sure! Here you go.', /no answer/],
    ['are none', ({ prompt }) => ({ brief: /<request>\n([\s\S]*?)\n<\/request>/.exec(prompt)?.[1] }), /the same/],
  ])(
    'that %s are not taken, and the reasons are counted',
    async (_, script, why) => {
      const { models } = modelsOf(script, { reword: true });
      const made = await sampleWithModel(world, WANTED, models);
      expect(canonicalJson(made)).toBe(canonicalJson(plain));
      const { changed, kept } = models.take().reworded;
      expect(changed).toBe(0);
      expect(Object.values(kept).reduce((sum, n) => sum + n, 0)).toBe(6);
      expect(Object.keys(kept).join('; ')).toMatch(why);
    },
    120_000,
  );

  it('that the judge refuses leave the task in its own', async () => {
    const { models } = modelsOf(
      (asked) =>
        asked.part.startsWith('words')
          ? politely(asked)
          : asked.prompt.includes('Many thanks')
            ? { does: false, reason: 'Too kind.' }
            : yes,
      { judge: true, reword: true },
    );
    const made = await sampleWithModel(world, WANTED, models);
    expect(canonicalJson(made.tasks.map(({ task }) => task))).toBe(canonicalJson(plain.tasks.map(({ task }) => task)));
    expect(Object.keys(models.take().reworded.kept).join()).toMatch(/Too kind/);
  }, 120_000);
});

describe('coherence of services', () => {
  const supply = (id: string): Supply => {
    const ids = ['a', 'b', 'c', 'd'];
    const pairs = ids.flatMap((one) => ids.map((other) => `${one} ${other}`));
    return {
      world: id,
      services: ids.map((one) => ({
        id: one,
        archetype: one,
        domain: one,
        capacity: 100,
        nouns: new Set([one]),
        about: `Does ${one}.`,
      })),
      shared: new Set(pairs),
      complementary: new Set(),
    };
  };
  const supplies = [supply('w1'), supply('w2')];
  const draw = async (script: Script, n = 30) => {
    const tally = { asked: 0, rejected: 0, unclear: 0 };
    const model = scripted(script);
    const sampler = new Sampler(supplies, defaultProfiles(), rng('s'), modelJudge(deskFor(model), tally));
    const drawn = [];
    for (let i = 0; i < n; i++) drawn.push(await sampler.next('simple'));
    return { drawn, tally, model, sampler };
  };

  it('resamples what the model rejects within the profile, and asks once for each set, whatever the world', async () => {
    const { drawn, tally, model, sampler } = await draw(({ prompt }) => ({
      coherent: !prompt.includes('- d,'),
      objective: 'An errand.',
      reason: 'd has no place in it',
    }));
    expect(drawn).toHaveLength(30);
    for (const { services } of drawn) expect(services).not.toContain('d');
    expect(tally.rejected).toBeGreaterThan(0);
    expect(sampler.rejected['not coherent']).toBeGreaterThanOrEqual(tally.rejected);
    expect(new Set(model.asked.map(({ prompt }) => prompt)).size).toBe(model.asked.length);
    // Sets of two to four of four services.
    expect(model.asked.length).toBeLessThanOrEqual(15);
    expect(new Set(drawn.map(({ world: id }) => id)).size).toBe(2);
  });

  it('leaves it to the rules where there is no verdict', async () => {
    const byRules: unknown[] = [];
    const sampler = new Sampler(supplies, defaultProfiles(), rng('s'));
    for (let i = 0; i < 30; i++) byRules.push(await sampler.next('simple'));
    const { drawn, tally } = await draw(() => 'Hm.');
    expect(drawn).toEqual(byRules);
    expect(tally).toMatchObject({ rejected: 0, unclear: tally.asked });
    expect(tally.asked).toBeGreaterThan(0);
  });

  it('says that a profile is out of reach where the model rejects everything', async () => {
    await expect(draw(() => ({ coherent: false, objective: '', reason: 'no' }))).rejects.toThrow(/holds together/);
  });
});
