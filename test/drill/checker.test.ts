/** The checker on histories by hand: a good one, and one for every way in which a promise can be broken. */
import { describe, expect, it } from 'vitest';
import { check } from './checker.js';
import { type ClientEvent, type Drilled, type Found, type JobHistory, type OwnershipStep, RULES } from './history.js';
import { lineRules, RIGHT_LINES, WRONG_LINES } from './lines.fixture.js';

const sent = (name: string): ClientEvent => ({ is: 'sent', operation: name, call: `call ${name}` });
const answered = (name: string, index: number, result = `result ${name}`): ClientEvent => ({
  is: 'answered',
  operation: name,
  index,
  result,
});
const unknown = (name: string): ClientEvent => ({ is: 'unknown', operation: name, why: 'no_connection' });
const refused = (name: string): ClientEvent => ({ is: 'refused', operation: name, why: 'log_full' });
const back = (seq: number, lost: number): ClientEvent => ({ is: 'rolled_back', seq, lost });
const done = (name: string, index: number): ClientEvent[] => [sent(name), answered(name, index)];

const claimed = (gen: number, by = `w${gen}`): OwnershipStep => ({ is: 'claimed', session: 's', by, gen });
const moved = (gen: number, seq: number, by = `w${gen}`): OwnershipStep => ({
  is: 'moved',
  session: 's',
  by,
  gen,
  seq,
  key: `${gen}/${seq}`,
});
const kept = (...names: string[]) => names.map((name) => ({ call: `call ${name}`, result: `result ${name}` }));
const found = (...names: string[]): Found => ({
  session: 's',
  seq: names.length,
  hash: names.join(),
  ledger: kept(...names),
  replayed: { hash: names.join(), ledger: kept(...names) },
});

interface Given {
  events: ClientEvent[];
  found: Found;
  ownership?: OwnershipStep[];
  durability?: Drilled['durability'];
  jobs?: JobHistory[];
  heads?: Drilled['heads'];
}
const drilled = ({ events, found, ownership = [], durability = 'call', jobs = [], heads }: Given): Drilled => {
  const last = ownership.filter((step) => step.is === 'moved').at(-1);
  return {
    durability,
    histories: [{ session: 's', events }],
    found: [found],
    ownership,
    heads: heads ?? (last ? [last] : []),
    jobs,
  };
};
const rules = (given: Given): string[] => [...new Set(check(drilled(given)).map(({ rule }) => rule))];

describe('what is right', () => {
  it.each<[string, Given]>([
    ['calls that were answered', { events: [...done('a', 0), ...done('b', 1)], found: found('a', 'b') }],
    [
      'a call whose answer was lost, sent again and answered from what was kept',
      { events: [sent('a'), unknown('a'), sent('a'), answered('a', 0), ...done('b', 1)], found: found('a', 'b') },
    ],
    ['one that nobody heard of again, and ran', { events: [sent('a'), unknown('a')], found: found('a') }],
    ['one that nobody heard of again, and did not', { events: [sent('a'), unknown('a')], found: found() }],
    [
      'one that may have run and was refused when it was sent again',
      { events: [sent('a'), unknown('a'), sent('a'), refused('a')], found: found('a') },
    ],
    [
      'an answer given twice',
      { events: [...done('a', 0), ...done('b', 1), sent('a'), answered('a', 0)], found: found('a', 'b') },
    ],
    [
      'calls that were lost, told, and made again',
      {
        durability: 'none',
        events: [...done('a', 0), ...done('b', 1), ...done('c', 2), back(1, 3), ...done('d', 1), ...done('b', 2)],
        found: found('a', 'd', 'b'),
      },
    ],
    [
      'an unanswered call that is told to be lost with nothing else',
      { events: [...done('a', 0), sent('b'), unknown('b'), back(1, 2)], found: found('a') },
    ],
    [
      'heads that follow from one another, over owners',
      {
        events: [...done('a', 0)],
        found: found('a'),
        ownership: [claimed(1), moved(1, 0), claimed(2), claimed(3, 'w2'), moved(3, 1, 'w2')],
      },
    ],
    [
      'one that was looked for before it began',
      { events: [], found: found(), ownership: [claimed(1), { is: 'forgotten', session: 's' }, claimed(1, 'w2')] },
    ],
    [
      'a head that goes back, as was told',
      {
        durability: 'none',
        events: [...done('a', 0), ...done('b', 1), back(0, 2)],
        found: found(),
        ownership: [claimed(1), moved(1, 2), claimed(2), moved(2, 0)],
      },
    ],
    [
      'jobs that were done, and one whose answer was lost',
      {
        events: [],
        found: found(),
        jobs: [
          {
            id: 'j',
            finishes: [
              { attempt: 1, result: 'x', said: 'stale' },
              { attempt: 2, result: 'y', said: 'unknown' },
              { attempt: 2, result: 'y', said: 'known' },
            ],
            found: { state: 'done', attempt: 2, result: 'y' },
          },
        ],
      },
    ],
  ])('%s', (_, given) => {
    expect(check(drilled(given))).toEqual([]);
  });
});

const jobs = (finishes: JobHistory['finishes'], state: JobHistory['found']): Given => ({
  events: [],
  found: found(),
  jobs: [{ id: 'j', finishes, found: state }],
});

/** Each breaks one promise, and the checker says which. */
const WRONG: [string, (typeof RULES)[number], Given][] = [
  ['a session that does not answer', 'stuck', { events: [], found: { session: 's', stuck: 'session_moving' } }],
  ['an answered call that is gone', 'lost_silently', { events: done('a', 0), found: found() }],
  [
    'an answered call in whose place another was answered',
    'lost_silently',
    { durability: 'none', events: [...done('a', 0), ...done('b', 0)], found: found('b') },
  ],
  [
    'a later call answered before one that had been answered',
    'lost_silently',
    {
      durability: 'none',
      events: [...done('a', 0), ...done('b', 3), ...done('c', 2)],
      found: found('a', 'x', 'c', 'b'),
    },
  ],
  [
    'a call that was to be kept, lost, though told',
    'acknowledged_lost',
    { events: [...done('a', 0), ...done('b', 1), back(1, 2)], found: found('a') },
  ],
  [
    'the same with the disk waited for',
    'acknowledged_lost',
    { durability: 'disk', events: [...done('a', 0), back(0, 1)], found: found() },
  ],
  [
    'a loss told too small',
    'told_wrongly',
    { durability: 'none', events: [...done('a', 0), ...done('b', 1), ...done('c', 2), back(0, 2)], found: found() },
  ],
  [
    'a loss of nothing',
    'told_wrongly',
    { durability: 'none', events: [...done('a', 0), back(1, 1)], found: found('a') },
  ],
  [
    'a call that ran twice',
    'run_twice',
    { events: [sent('a'), unknown('a'), sent('a'), answered('a', 1)], found: found('a', 'a') },
  ],
  ['a call of nobody', 'ran_unasked', { events: done('a', 0), found: found('a', 'b') }],
  ['a call that was refused and ran', 'ran_unasked', { events: [sent('a'), refused('a')], found: found('a') }],
  [
    'a call that was told to be lost and came back',
    'ran_unasked',
    { durability: 'none', events: [...done('a', 0), ...done('b', 1), back(1, 2)], found: found('a', 'b') },
  ],
  [
    'two answers to one operation',
    'answer_differs',
    { events: [...done('a', 0), sent('a'), answered('a', 0, 'another')], found: found('a') },
  ],
  [
    'an answer that is not what is kept',
    'answer_differs',
    { events: [sent('a'), answered('a', 0, 'no')], found: found('a') },
  ],
  [
    'a call kept in another place',
    'answer_differs',
    { events: [...done('a', 1), ...done('b', 2)], found: found('b', 'a') },
  ],
  [
    'a count that is not that of its calls',
    'seq_differs',
    { events: done('a', 0), found: { ...found('a'), seq: 2 } as Found },
  ],
  [
    'another state than its calls make',
    'state_differs',
    { events: done('a', 0), found: { ...found('a'), hash: 'z' } as Found },
  ],
  [
    'other answers than its calls give',
    'state_differs',
    { events: done('a', 0), found: { ...found('a'), replayed: { hash: 'a', ledger: [] } } as Found },
  ],
  [
    'an older owner after a newer one',
    'generation_fell',
    { events: [], found: found(), ownership: [claimed(1), claimed(2), moved(2, 3), moved(1, 2)] },
  ],
  [
    'a claim that did not grow',
    'generation_fell',
    { events: [], found: found(), ownership: [claimed(2), claimed(2, 'x')] },
  ],
  [
    'a head moved by who is no owner any more',
    'not_owner',
    { events: [], found: found(), ownership: [claimed(1), claimed(2), moved(1, 2)] },
  ],
  [
    'a head moved by a stranger',
    'not_owner',
    { events: [], found: found(), ownership: [claimed(1), moved(1, 2, 'x')] },
  ],
  ['a head that nobody had claimed', 'not_owner', { events: [], found: found(), ownership: [moved(1, 2)] }],
  [
    'a head that goes back within a generation',
    'lineage_broken',
    { events: [], found: found(), ownership: [claimed(1), moved(1, 2), moved(1, 1)] },
  ],
  [
    'a head that goes back, and nobody was told',
    'lineage_broken',
    { events: [], found: found(), ownership: [claimed(1), moved(1, 2), claimed(2), moved(2, 1)] },
  ],
  [
    'a head that goes further back than was told',
    'lineage_broken',
    {
      durability: 'none',
      events: [...done('a', 0), ...done('b', 1), back(1, 2)],
      found: found('a'),
      ownership: [claimed(1), moved(1, 2), claimed(2), moved(2, 0)],
    },
  ],
  [
    'another savepoint than the last that was committed',
    'head_differs',
    {
      events: [],
      found: found(),
      ownership: [claimed(1), moved(1, 1), moved(1, 2)],
      heads: [{ session: 's', gen: 1, seq: 1, key: '1/1' }],
    },
  ],
  [
    'a session that was over and is claimed again',
    'lineage_broken',
    {
      events: [],
      found: found(),
      ownership: [claimed(1), moved(1, 1), { is: 'forgotten', session: 's' }, claimed(1)],
      heads: [],
    },
  ],
  ['a job that is not done', 'job_not_done', jobs([], { state: 'waiting', attempt: 1 })],
  [
    'a job that two attempts were told to have done',
    'job_done_twice',
    jobs(
      [
        { attempt: 1, result: 'x', said: 'done' },
        { attempt: 2, result: 'x', said: 'done' },
      ],
      { state: 'done', attempt: 2, result: 'x' },
    ),
  ],
  [
    'a job whose result is another attempt’s',
    'job_done_twice',
    jobs([{ attempt: 1, result: 'x', said: 'done' }], { state: 'done', attempt: 2, result: 'y' }),
  ],
];

describe('what is right of every kind of request', () => {
  it.each(RIGHT_LINES)('%s', (_, given) => {
    expect(lineRules(given)).toEqual([]);
  });
});

describe('what is wrong', () => {
  it.each(WRONG_LINES)('%s: %s', (_, rule, given) => {
    expect(lineRules(given)).toContain(rule);
  });

  it.each(WRONG)('%s: %s', (_, rule, given) => {
    expect(rules(given)).toContain(rule);
  });

  it('has a history for every rule', () => {
    const broken = new Set([...WRONG, ...WRONG_LINES].map(([, rule]) => rule));
    expect(RULES.filter((rule) => !broken.has(rule))).toEqual([]);
  });

  it('misses no session that nothing was found of', () => {
    expect(check({ ...drilled({ events: [], found: found() }), found: [] })).toMatchObject([
      { rule: 'stuck', of: 's' },
    ]);
  });
});
