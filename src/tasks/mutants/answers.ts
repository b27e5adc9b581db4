/** Wrong answers to questions, and claims of work that was not done. */
import { sayMoney } from '../ground/say.js';
import type { MutantKind } from './mutant.js';

const said = (value: string | number, kind: string, currency: string | undefined): string =>
  kind === 'amount' ? sayMoney(Number(value), currency ?? 'USD') : String(value);

export const wrongAnswer: MutantKind = {
  kind: 'wrong_answer',
  isOnce: true,
  make: ({ task, random }) => {
    if (!task.answer || task.answer.distractors.length === 0) return [];
    const { kind, currency, distractors } = task.answer;
    return random.sample(distractors, 2).map((value) => ({
      kind: 'wrong_answer',
      what: `answers ${value}`,
      calls: task.reference.calls,
      answer: said(value, kind, currency),
    }));
  },
};

/** The shotgun: the right value among all the others. */
export const shotgunAnswer: MutantKind = {
  kind: 'shotgun_answer',
  isOnce: true,
  make: ({ task, random }) => {
    if (!task.answer) return [];
    const { kind, currency, distractors } = task.answer;
    const all = random.shuffle([task.reference.answer, ...distractors.map((value) => said(value, kind, currency))]);
    return [
      {
        kind: 'shotgun_answer',
        what: 'lists every candidate',
        calls: task.reference.calls,
        answer: `It is one of these: ${all.join(', ')}.`,
      },
    ];
  },
};

export const doubleAnswer: MutantKind = {
  kind: 'double_answer',
  isOnce: true,
  make: ({ task, random }) => {
    if (!task.answer || task.answer.distractors.length === 0) return [];
    const { kind, currency, distractors } = task.answer;
    const other = said(random.pick(distractors), kind, currency);
    return [
      {
        kind: 'double_answer',
        what: 'hedges between two values',
        calls: task.reference.calls,
        answer: `${task.reference.answer} or ${other}`,
      },
    ];
  },
};

export const noAnswer: MutantKind = {
  kind: 'no_answer',
  isOnce: true,
  make: ({ task }) =>
    task.answer
      ? [{ kind: 'no_answer', what: 'looks it up and says nothing', calls: task.reference.calls, answer: '' }]
      : [],
};

export const vagueAnswer: MutantKind = {
  kind: 'vague_answer',
  isOnce: true,
  make: ({ task }) =>
    task.answer
      ? [
          {
            kind: 'vague_answer',
            what: 'says only that it was found',
            calls: task.reference.calls,
            answer: 'I have found the record and everything looks fine.',
          },
        ]
      : [],
};

export const claimWithoutChange: MutantKind = {
  kind: 'claim_without_change',
  isOnce: true,
  make: ({ task, write }) =>
    write === undefined
      ? []
      : [
          {
            kind: 'claim_without_change',
            what: 'claims success without a call',
            calls: [],
            answer: task.reference.answer,
          },
        ],
};
