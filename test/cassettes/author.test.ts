/**
 * The model author from cassettes: a good small model, and one that omits a key, invents a table and puts trigger and target into
 * one service. Recorded in loopback from the scripted models of test/author; record anew when the prompts change on purpose:
 * TREADLE_RECORD_SCRIPTED=1 npx vitest run test/cassettes/author.test.ts
 */
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { authorWithModel } from '../../src/author/model/author.js';
import type { Authored } from '../../src/author/model/types.js';
import { cassette } from '../../src/models/cassette.js';
import { endpoint } from '../../src/models/client.js';
import { BRIEF, certify, domainOf, engine, toolsOf } from '../author/fixture.js';
import { ACTIONS, good, RULES, type Script, serve, TABLES } from '../author/scripted.js';

afterAll(() => engine.close());

const isRecording = process.env.TREADLE_RECORD_SCRIPTED === '1';

const faulty: Script = (asked) => {
  if (asked.nth > 0) return good(asked);
  const members = TABLES.membership as { tables: object[] };
  if (asked.part === 'tables of membership')
    return JSON.stringify({ tables: [{ ...members.tables[0], columns: undefined }] });
  const [first, ...rest] = (ACTIONS.lending as { actions: object[] }).actions;
  if (asked.part === 'actions of lending: tool_item, loan')
    return JSON.stringify({
      actions: [{ ...first, insert: [{ table: 'scrap_list', set: ['item_no = row.item_no'] }] }, ...rest],
    });
  const of = { table: 'lending.tool_item', where: "x.status = 'out'" };
  return asked.part === 'rules'
    ? `Here you are: ${JSON.stringify({ rules: [{ ...RULES.rules[0], of }] })}`
    : good(asked);
};

/** The rounds end before the data is shown to the model: sample rows change with every change of the seeder. */
const play = async (name: string, script: Script, rounds: number): Promise<Authored> => {
  const file = fileURLToPath(new URL(`./${name}.jsonl`, import.meta.url));
  const at = isRecording ? await serve(script) : undefined;
  const model = at
    ? cassette(endpoint({ baseUrl: at.baseUrl, model: 'small', maxRetries: 0 }), file, 'record')
    : cassette({ model: 'small' }, file, 'replay');
  const authored = await authorWithModel({ model, source: { brief: BRIEF }, seed: '1', certify, budget: { rounds } });
  await at?.close();
  return authored;
};

it('a good small model needs one answer a part', async () => {
  const authored = await play('author-good', good, 6);
  expect(authored.report).toMatchObject({ outcome: 'certified', spent: { rounds: 6 }, ended: { code: 'budget' } });
  expect(domainOf(authored)).toEqual(['membership', 'lending']);
  expect(authored.draft.invariants.map(({ says }) => says)).toEqual(
    expect.arrayContaining(RULES.rules.map(({ says }) => says)),
  );
});

it('a faulty one needs one more for each slip, and comes to the same world', async () => {
  const authored = await play('author-faulty', faulty, 9);
  expect(authored.report).toMatchObject({ outcome: 'certified', spent: { rounds: 9 }, ended: { code: 'budget' } });
  const best = await play('author-good', good, 6);
  for (const id of ['membership', 'lending']) expect(toolsOf(authored, id)).toEqual(toolsOf(best, id));
  expect(authored.draft.invariants).toEqual(best.draft.invariants);
});
