/** The rule-based user, step by step: what it says to what, and what it never says. */
import { describe, expect, it } from 'vitest';
import type { Disclosure, Fact } from '../../artifacts/disclosure.js';
import { canonicalJson } from '../../kit/hash.js';
import { says } from '../../tasks/disclosure/holds.js';
import { type Known, knownOf } from './known.js';
import { opening, openingState, type Step, step, type UserState } from './rules.js';

const fact = (id: string, words: string, given: Fact['given'], ...asked: string[]): Fact => ({
  id,
  words,
  says: `The ${asked[0]} is ${words}.`,
  asked,
  feeds: [],
  given,
});

const DISCLOSURE: Disclosure = {
  persona: 'in a hurry',
  stages: [
    {
      node: 'a1',
      full: 'Void the invoice of Brandt from May, amount EUR 20.00.',
      partial: 'Void the invoice of Brandt.',
      vague: 'Void one of our invoices.',
      facts: [
        fact('customer', 'Brandt', 'partial', 'customer'),
        fact('month', 'May', 'full', 'month'),
        fact('amount', 'EUR 20.00', 'full', 'amount'),
      ],
      unknown: [{ id: 'id', asked: ['invoice id', 'internal id'] }],
    },
    {
      node: 'a2',
      full: 'Then write to Cole.',
      partial: 'Then write to somebody.',
      vague: 'Then write to somebody.',
      facts: [{ ...fact('recipient', 'Cole', 'full', 'recipient', 'customer'), after: 'a1' }],
    },
  ],
};

const known = (detail: Fact['given'] = 'vague', persona: Disclosure['persona'] = 'in a hurry'): Known =>
  knownOf(
    {
      id: 'toy',
      brief: 'Void it, then write.',
      nodes: [],
      actor: { name: 'Ada', email: 'a@b.example', title: 'Accountant' },
      disclosure: { ...DISCLOSURE, persona },
    },
    detail,
  );

/** What is said to the replies one after the other. */
const talk = (who: Known, ...replies: string[]): Step[] => {
  let state: UserState = openingState(who);
  return replies.map((reply) => {
    const next = step(who, state, reply);
    state = next.state;
    return next;
  });
};
const acts = (steps: Step[]): (string | undefined)[] => steps.map(({ said, over }) => said?.act ?? over);

describe('what is said at first', () => {
  it('is the first request in the wanted detail, and nothing of the second', () => {
    expect(opening(known('vague')).text).toBe('Void one of our invoices.');
    expect(opening(known('partial'))).toMatchObject({ text: 'Void the invoice of Brandt.', facts: ['customer'] });
    expect(opening(known('full')).facts).toEqual(['customer', 'month', 'amount']);
  });
});

describe('a question', () => {
  it('for a fact gets that fact and no other', () => {
    const [one] = talk(known(), 'Which customer?');
    expect(one?.said).toMatchObject({ act: 'tells', facts: ['customer'] });
    expect(one?.said?.text).toContain('The customer is Brandt.');
    for (const words of ['May', 'EUR 20.00', 'Cole']) expect(says(one?.said?.text ?? '', words)).toBe(false);
  });
  it('for details gets all that may be said now, and nothing of a later stage', () => {
    const [one] = talk(known(), 'Could you give me some details?');
    expect(one?.said?.facts).toEqual(['customer', 'month', 'amount']);
    expect(one?.said?.text).not.toContain('Cole');
  });
  it('for an id is not answered', () => {
    const [one] = talk(known(), 'What is the invoice ID?');
    expect(one?.said).toMatchObject({ act: 'does_not_know', facts: [] });
  });
  it('for something nobody knows gets no invention', () => {
    const [one] = talk(known(), 'Who delivered the goods?');
    expect(one?.said).toMatchObject({ act: 'does_not_know', facts: [] });
    expect(one?.said?.text).not.toMatch(/\d/);
  });
  it('whether to begin is answered with what is missing, then with a yes that confirms no value', () => {
    const [one, two] = talk(known(), 'Shall I void invoice INV-7 of Cole?', 'Shall I void invoice INV-7 of Cole?');
    expect(one?.said).toMatchObject({ act: 'tells_rest', facts: ['customer', 'month', 'amount'] });
    expect(two?.said?.act).toBe('confirms');
    expect(two?.said?.text).not.toMatch(/INV-7|Cole/);
  });
});

describe('a reply', () => {
  it('that asks nothing ends the stage; after the last the conversation ends', () => {
    const steps = talk(known('full'), 'Done.', 'Written.');
    expect(acts(steps)).toEqual(['requests', 'ends']);
    expect(steps.map(({ hasEnded }) => hasEnded)).toEqual([true, true]);
    expect(steps[0]?.said?.text).toContain('Then write to Cole.');
  });
  it('that was handed in as an answer ends it too, whatever its words', () => {
    const who = known('full');
    expect(step(who, openingState(who), 'Which customer?', true)).toMatchObject({ hasEnded: true });
  });
  it('of a later stage is heard with that stage’s facts', () => {
    const steps = talk(known(), 'Done.', 'Which customer?');
    expect(steps[1]?.said?.facts).toEqual(['recipient']);
  });
});

describe('patience', () => {
  it('is bounded: the rest is told, the request repeated, then the end made', () => {
    const steps = talk(known(), ...Array.from({ length: 7 }, () => 'Who delivered the goods?'));
    expect(acts(steps)).toEqual([
      'does_not_know',
      'tells_rest',
      'does_not_know',
      'insists',
      'leaves',
      'leaves',
      'leaves',
    ]);
    expect(steps[3]?.said?.text).toContain('Void one of our invoices. The customer is Brandt.');
  });
  it.each(['in a hurry', 'formal', 'chatty', 'somebody nobody knows'])(
    'of %s ends for an agent that only asks',
    (persona) => {
      for (const question of ['Which customer?', 'More details?', 'Shall I go ahead?', 'What?', 'Invoice id?']) {
        const steps = talk(known('vague', persona), ...Array.from({ length: 60 }, () => question));
        expect(acts(steps).at(-1), question).toBe('leaves');
      }
    },
  );
});

it('the same task, persona and replies give the same words; another manner other ones', () => {
  const replies = ['Which customer?', 'Who?', 'Done.', 'What do you need?'];
  const once = canonicalJson(talk(known(), ...replies));
  expect(canonicalJson(talk(known(), ...replies))).toBe(once);
  expect(canonicalJson(talk(known('vague', 'formal'), ...replies))).not.toBe(once);
});

it('facts of hand-written tasks are asked for by their own words', () => {
  const own = knownOf(
    {
      id: 'hand',
      brief: 'b',
      nodes: [],
      actor: { name: 'Ada', email: 'a@b.example', title: '' },
      disclosure: {
        persona: 'formal',
        stages: [{ node: 'a1', full: 'f', partial: 'p', vague: 'v', facts: ['supplier: Nord GmbH', 'the blue one'] }],
      },
    },
    'vague',
  );
  const ask = (reply: string): string => step(own, openingState(own), reply).said?.text ?? '';
  expect(ask('Which supplier is it?')).toContain('The supplier is Nord GmbH.');
  expect(ask('Do you mean the blue one?')).toContain('It is about the blue one.');
});

it('a task without stages is one stage, its brief', () => {
  const bare = knownOf(
    {
      id: 'bare',
      brief: 'Void it.',
      nodes: [],
      actor: { name: 'Ada', email: 'a@b.example', title: '' },
      disclosure: { persona: 'formal', stages: [] },
    },
    'vague',
  );
  expect(opening(bare).text).toBe('Void it.');
  expect(step(bare, openingState(bare), 'Done.')).toMatchObject({ over: 'ends', hasEnded: true });
});
