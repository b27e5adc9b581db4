/** A rewriter's words are taken only where they say the same: each faulty rewriter is refused for its own fault. */
import { describe, expect, it } from 'vitest';
import { toyTask } from '../../../test/rollout/toy.js';
import { Task } from '../../artifacts/task.js';
import { faultOf } from './check.js';
import { rewriteBrief } from './rewrite.js';

const BRIEF =
  'Please change the due date of the invoice for customer Brinkhof Interiors with an amount of EUR 1,284.50 to 10 May 2024.';

const task = (): Task =>
  Task.parse({
    ...toyTask(),
    brief: BRIEF,
    nodes: [{ id: 'n1', family: 'update', intent: BRIEF, service: 'billing', chain: ['invoice.list'] }],
    bindings: [
      {
        name: 'subject',
        service: 'billing',
        table: 'invoice',
        key: 'inv_9f3k2',
        descriptors: [
          { col: 'customer_id', value: 'cus_1', words: 'Brinkhof Interiors' },
          { col: 'amount', value: 128450, words: 'EUR 1,284.50' },
        ],
      },
    ],
    disclosure: {
      persona: 'formal',
      stages: [{ node: 'n1', full: BRIEF, partial: 'Change a due date.', vague: 'Change an invoice.', facts: [] }],
    },
    answer: { kind: 'amount', asks: 'the amount due', expected: 99150, currency: 'EUR', distractors: [] },
    reference: {
      calls: [{ service: 'billing', tool: 'update_invoice', args: { id: 'inv_9f3k2', due: '2024-05-10' } }],
      answer: 'EUR 991.50',
      sources: [{ call: 0, arg: 'due', from: { brief: '10 May 2024' } }],
    },
  });

describe('a rewriter', () => {
  it('that says the same is taken: brief, full request and intent become its words, nothing else changes', async () => {
    const words =
      'There is an invoice over EUR 1,284.50 for the customer Brinkhof Interiors whose due date I need changed: make it 10 May 2024.';
    const { task: made, kept } = await rewriteBrief(task(), () => words);
    expect(kept).toBeUndefined();
    expect(made.brief).toBe(words);
    expect(made.disclosure.stages[0]).toMatchObject({ full: words, partial: 'Change a due date.' });
    expect(made.nodes[0]?.intent).toBe(words);
    expect({ ...made, brief: '', nodes: [], disclosure: null }).toEqual({
      ...task(),
      brief: '',
      nodes: [],
      disclosure: null,
    });
    expect(() => Task.parse(made)).not.toThrow();
  });

  it.each<[string, string, RegExp]>([
    ['loses a descriptor', BRIEF.replace(' with an amount of EUR 1,284.50', ''), /lost “EUR 1,284.50”/],
    ['loses a value', BRIEF.replace(' to 10 May 2024', ''), /lost “10 May 2024”/],
    ['changes a figure', BRIEF.replace('1,284.50', '1,284.55'), /lost “EUR 1,284.50”/],
    ['names the id', `${BRIEF} It is inv_9f3k2.`, /says “inv_9f3k2”/],
    ['gives the answer away', `${BRIEF} EUR 991.50 is due.`, /says “EUR 991.50”/],
    ['adds a figure', `${BRIEF} There are 3 of them.`, /figure of its own, 3/],
    ['adds a day', `${BRIEF} Do it by 4 June 2024.`, /figure of its own, 4/],
    ['adds a name', `${BRIEF} Then tell Miller about it.`, /names Miller/],
    ['adds an address', `${BRIEF} Then write to boss@corp.example.`, /names boss@corp.example/],
    ['adds a quotation', `${BRIEF} Write “urgent” on it.`, /names urgent/],
    ['says nothing', '   ', /empty/],
    ['answers instead', `<tool_call>{"name":"x"}</tool_call> ${BRIEF}`, /markup/],
    ['plays a role', `User: ${BRIEF}`, /markup or a role/],
    ['goes on and on', `${BRIEF} ${'Please do it soon. '.repeat(100)}`, /characters/],
    [
      'asks for something else',
      'Kindly delete whatever Brinkhof Interiors owes (EUR 1,284.50) before 10 May 2024.',
      /of the request's own words/,
    ],
    ['says the same words', BRIEF, /the same/],
  ])('that %s is refused, and the task stays as it was', async (_, words, why) => {
    const { task: made, kept } = await rewriteBrief(task(), () => words);
    expect(kept).toMatch(why);
    expect(made).toEqual(task());
  });

  it('is told the words that must stay', async () => {
    let told: readonly string[] = [];
    await rewriteBrief(task(), (request) => {
      told = request.words;
      expect(request.persona.register).toBe('formal');
      return request.brief;
    });
    expect([...told].sort()).toEqual(['10 May 2024', 'Brinkhof Interiors', 'EUR 1,284.50']);
  });

  it('that throws is the caller’s to see', async () => {
    await expect(rewriteBrief(task(), () => Promise.reject(new Error('gone')))).rejects.toThrow('gone');
  });
});

it('a word that the original has itself is no secret of it', () => {
  expect(
    faultOf('Void it: inv_12345.', { original: 'Void inv_12345.', must: [], secret: ['inv_12345'] }),
  ).toBeUndefined();
});
