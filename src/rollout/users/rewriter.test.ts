import { expect, it } from 'vitest';
import { toyTask } from '../../../test/rollout/toy.js';
import type { ChatRequest, ModelClient } from '../../models/types.js';
import { rewriteBrief } from '../../tasks/disclosure/rewrite.js';
import { modelRewriter } from './rewriter.js';

const task = {
  ...toyTask(),
  brief: 'Please void the invoice of Brandt.',
  disclosure: { ...toyTask().disclosure, stages: [] },
};
const speaking = (content: string): ModelClient & { requests: ChatRequest[] } => {
  const requests: ChatRequest[] = [];
  return {
    model: 'speaker',
    requests,
    chat: async (request) => {
      requests.push(request);
      return { content, calls: [], finish: 'stop' };
    },
  };
};

it('a model is asked once, told neither answer nor ids, and its words are checked', async () => {
  const good = speaking(' Brandt’s invoice has to be void, please void it. ');
  const { task: made, kept } = await rewriteBrief(task, modelRewriter(good));
  expect(kept).toBeUndefined();
  expect(made.brief).toBe('Brandt’s invoice has to be void, please void it.');
  expect(good.requests).toHaveLength(1);
  expect(JSON.stringify(good.requests)).not.toMatch(/2000|recorded-id/);
  const leaking = await rewriteBrief(task, modelRewriter(speaking('Please void the invoice of Brandt, it is 2000.')));
  expect(leaking).toMatchObject({ task, kept: expect.stringMatching(/2000/) });
});
