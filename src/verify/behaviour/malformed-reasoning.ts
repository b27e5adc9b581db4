/** Reasoning that is not closed off from what is said. */
import { type BehaviourFlag, shortened, turnsOf } from './flag.js';

const TAG = /<(\/?)(?:think|thinking|reasoning)>|\[(\/?)THINK\]/g;

/** The first tag that does not fit, undefined when each opening one is followed by its closing one. */
const unbalanced = (text: string): string | undefined => {
  let open: string | undefined;
  for (const [tag, slash, other] of text.matchAll(TAG)) {
    const closes = slash === '/' || other === '/';
    if (closes ? open === undefined : open !== undefined) return tag;
    open = closes ? undefined : tag;
  }
  return open;
};

/**
 * A turn is flagged when thinking tags (`<think>`, `<thinking>`, `<reasoning>`, `[THINK]`) in its text are not in pairs, nest, or
 * close what was not opened, or when its separate reasoning holds such a tag at all. A message that a token limit cut ends in
 * mid-thought and is truncated, not malformed: its last open tag does not count.
 */
export const malformedReasoning: BehaviourFlag = {
  id: 'malformed_reasoning',
  says: 'thinking is not closed off from what is said',
  sightings: (trace) => {
    const turns = turnsOf(trace);
    return turns.flatMap(({ turn, message }) => {
      const isCut = trace.finish === 'length' && turn === turns.length - 1;
      const tag = unbalanced(message.content);
      if (tag !== undefined && !(isCut && !tag.includes('/'))) return [{ turn, evidence: `${tag} has no partner` }];
      const inside = message.reasoning?.match(TAG)?.[0];
      return inside ? [{ turn, evidence: `the reasoning holds ${inside}: ${shortened(message.reasoning ?? '')}` }] : [];
    });
  },
};
