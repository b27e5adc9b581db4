import { expect, it } from 'vitest';
import { toyHost, toyTask, toyVerdict } from '../../../test/rollout/toy.js';
import { referencePolicy } from '../../rollout/agents/reference.js';
import { rolloutTask } from '../../rollout/rollout.js';
import { headIn, headOf, lineOf } from './line.js';

it('a head is read from a line that has one, and from no other', async () => {
  const task = toyTask();
  const trace = await rolloutTask({ host: toyHost(), task, policy: referencePolicy(task) });
  const verdict = toyVerdict(trace);
  expect(headIn(Buffer.from(lineOf({ trace, verdict }).text))).toEqual(headOf({ trace, verdict }));
  // As lines were before they had one: the verdict's `trace` is no head's end.
  expect(headIn(Buffer.from(JSON.stringify({ trace, verdict })))).toBeUndefined();
});
