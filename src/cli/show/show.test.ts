/** A task on a page: every section says what the task holds, and the data holds all of it. */
import { beforeEach, describe, expect, it } from 'vitest';
import { toyTask } from '../../../test/rollout/toy.js';
import type { Certificate } from '../../artifacts/certificate.js';
import { Task } from '../../artifacts/task.js';
import type { Ui } from '../ui.js';
import { entries, wrapped } from './layout.js';
import { sayTask, taskData } from './task.js';

const task = Task.parse({
  ...toyTask(),
  kind: 'composed',
  nodes: [
    {
      id: 'a1',
      family: 'lookup',
      intent: 'What is the total?',
      service: 'billing',
      chain: ['invoice.list', 'invoice.get'],
    },
    { id: 'a2', family: 'action', intent: 'Void it.', service: 'billing', chain: ['invoice.void'] },
  ],
  edges: [{ from: 'a1', to: 'a2', carries: 'information', what: 'which invoice' }],
  bindings: [
    {
      name: 'subject',
      service: 'billing',
      table: 'invoice',
      key: 'inv_2x',
      descriptors: [{ col: 'customer', value: 'Brandt', words: 'Brandt' }],
    },
  ],
  disclosure: {
    persona: 'formal',
    briefs: { partial: toyTask().brief, vague: 'Please void that invoice.' },
    stages: [
      {
        node: 'a1',
        full: 'What is the total of Brandt’s invoice?',
        partial: 'What is the total of an invoice?',
        vague: 'What is the total of an invoice?',
        facts: [
          {
            id: 'customer',
            words: 'Brandt',
            says: 'The customer is Brandt.',
            asked: ['customer'],
            feeds: [],
            given: 'full',
          },
        ],
        unknown: [{ id: 'id', asked: ['invoice id'] }],
      },
      {
        node: 'a2',
        full: 'Void it.',
        partial: 'Void it.',
        vague: 'Void it.',
        facts: ['reason: asked'],
        unknown: [{ id: 'id', asked: ['invoice id'], from: 'a1' }],
      },
    ],
  },
  milestones: [
    {
      id: 'm1',
      node: 'a1',
      checks: [{ id: 'c1', kind: 'answer', footprint: [] }],
      says: '2000',
      rubric: ['Tells the total.'],
    },
    {
      id: 'm2',
      node: 'a2',
      checks: [
        {
          id: 'c2',
          kind: 'count',
          service: 'billing',
          table: 'invoice',
          where: { status: 'void' },
          count: 1,
          footprint: [],
        },
      ],
    },
  ],
});
const certificate: Certificate = {
  treadle: 'certificate/1',
  kind: 'task',
  subject: 'a'.repeat(64),
  name: task.id,
  pass: false,
  findings: [
    { id: 'null_agent_fails', pass: true, evidence: ['doing nothing fails'] },
    { id: 'mutants_fail', pass: false, evidence: ['survives: second_copy', 'wrong_value: 3 of 3 fail'] },
  ],
};

let page = '';
const ui: Ui = {
  json: false,
  progress: () => {},
  step: () => {},
  say: (line) => {
    page += `${line}\n`;
  },
  give: () => {},
  style: (_, text) => text,
};
beforeEach(() => {
  page = '';
  sayTask(ui, { task, certificate, services: [] });
});

describe('the page', () => {
  it('has the brief in both views and three details; equal texts are one entry', () => {
    expect(page).toMatch(/full, partial +Please void the invoice of Brandt and tell me its total\./);
    expect(page).toMatch(/vague +Please void that invoice\./);
    expect(page).toMatch(
      /a1\n +full +What is the total of Brandt’s invoice\?\n +partial, vague +What is the total of an invoice\?/,
    );
    expect(page).toMatch(/a2\n +full, partial, vague +Void it\./);
  });
  it('says what the user knows, when it is said, and what has to be looked up', () => {
    expect(page).toContain('knows: The customer is Brandt. (when asked, unless full; asked for by “customer”)');
    expect(page).toContain('knows: reason: asked');
    expect(page).toContain('does not know: invoice id (found in a1)');
    expect(page).toContain('asked by Accountant: formal (courteous, normal, formal; bears 4 useless questions)');
  });
  it('has the graph, the bindings, the reference by stage, the checks and the evidence', () => {
    expect(page).toContain('a1  lookup in billing, invoice.list > invoice.get: What is the total?');
    expect(page).toContain('a1 -> a2  information: which invoice');
    expect(page).toMatch(/subject +billing\.invoice inv_2x, told by customer Brandt/);
    expect(page).toMatch(/a2\n +3\. billing: void_invoice/);
    expect(page).toContain('id: call 1 shows it at data.1.id');
    expect(page).toContain('m2, at the end of a2');
    expect(page).toContain('in words: Tells the total.');
    expect(page).toContain('ok null_agent_fails: doing nothing fails');
    expect(page).toMatch(/FAILED mutants_fail: survives: second_copy\n +wrong_value: 3 of 3 fail/);
  });
  it('says where there is no certificate', () => {
    page = '';
    sayTask(ui, { task, certificate: undefined, services: [] });
    expect(page).toContain('no certificate');
  });
});

it('the data holds the task, every form and every check in words', () => {
  const data = JSON.parse(JSON.stringify(taskData({ task, certificate, services: [] })));
  expect(data.task).toEqual(JSON.parse(JSON.stringify(task)));
  expect(data.forms.none).toEqual({ full: task.brief, partial: task.brief, vague: 'Please void that invoice.' });
  expect(data.forms.simulated.vague).toEqual([
    { node: 'a1', request: 'What is the total of an invoice?' },
    { node: 'a2', request: 'Void it.' },
  ]);
  expect(data.checks.map(({ words }: { words: string[] }) => words.length)).toEqual([1, 1]);
  expect(data.certificate).toEqual(certificate);
});

it('lines are broken at spaces and hang; long words stay whole', () => {
  const lines = wrapped('word '.repeat(60).trim(), 2, 3);
  expect(lines.every((line) => line.length <= 110)).toBe(true);
  expect(lines[1]).toMatch(/^ {5}word/);
  expect(wrapped('x'.repeat(300), 2)).toEqual([`  ${'x'.repeat(300)}`]);
  expect(wrapped('a\n\nb', 1)).toEqual([' a', '', ' b']);
  expect(
    entries([
      ['a', 'one'],
      ['bcd', 'two'],
    ]),
  ).toEqual(['  a    one', '  bcd  two']);
  expect(entries([])).toEqual([]);
});
