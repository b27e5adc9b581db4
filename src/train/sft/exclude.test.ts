/** A replayed solution that used what nobody had told it becomes no row: it would teach to make values up. */
import { expect, it } from 'vitest';
import { toyHost, toyTask, toyVerdict } from '../../../test/rollout/toy.js';
import type { Detail } from '../../artifacts/disclosure.js';
import type { Task } from '../../artifacts/task.js';
import { askingPolicy } from '../../rollout/agents/asking.js';
import { referencePolicy } from '../../rollout/agents/reference.js';
import type { Policy } from '../../rollout/policy.js';
import { rolloutTask } from '../../rollout/rollout.js';
import { simulatedUser } from '../../rollout/users/user.js';
import { exclusionOf } from './exclude.js';

const task: Task = {
  ...toyTask(),
  brief: 'Void the invoice of Brandt, with “asked by Miller” as the reason.',
  disclosure: {
    persona: 'formal',
    stages: [
      {
        node: 'n1',
        full: 'Void the invoice of Brandt, with “asked by Miller” as the reason.',
        partial: 'Void the invoice of Brandt.',
        vague: 'Void one of our invoices.',
        facts: [
          {
            id: 'reason',
            words: 'asked by Miller',
            says: 'The reason is “asked by Miller”.',
            asked: ['reason'],
            feeds: [{ call: 2, arg: 'reason' }],
            given: 'full',
          },
        ],
      },
    ],
  },
  reference: {
    ...toyTask().reference,
    sources: [
      ...toyTask().reference.sources.filter(({ arg }) => arg !== 'reason'),
      { call: 2, arg: 'reason', from: { brief: 'asked by Miller' } },
    ],
  },
};

const excluded = async (policy: Policy, detail: Detail, onlyPassing = true): Promise<string | undefined> => {
  const user = simulatedUser(task, detail);
  const trace = await rolloutTask({ host: toyHost(), task, policy, user, prompt: { detail } });
  return exclusionOf({ trace, verdict: toyVerdict(trace), task, tools: [] }, onlyPassing);
};
const model = (detail: Detail): Policy => ({ ...askingPolicy(task, detail), producer: { policy: 'model', name: 'm' } });

it('a reference that was told half of it is left out; one that asked, or was told all, is not', async () => {
  expect(await excluded(referencePolicy(task), 'vague')).toBe('not_told');
  expect(await excluded(referencePolicy(task), 'partial')).toBe('not_told');
  expect(await excluded(referencePolicy(task), 'full')).toBeUndefined();
  expect(await excluded(askingPolicy(task, 'vague'), 'vague')).toBeUndefined();
  expect(await excluded(model('vague'), 'vague')).toBeUndefined();
  expect(await excluded(referencePolicy(task), 'vague', false)).toBe('not_told');
});
