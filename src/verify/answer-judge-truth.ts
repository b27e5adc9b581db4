/** Judges answers that are yes or no, or that nothing is there. */
import type { AnswerSpec } from '../artifacts/check.js';
import type { Judgement } from './answer.js';
import { findNames } from './answer-names.js';

const YES = /\b(?:yes|true|yep|yeah|correct|affirmative)\b/i;
// "no" opens a clause; inside one ("no later than") it says nothing about the question.
const NO = /(?:^|[.!?;:\n"(]\s*|\b(?:is|and|or)\s+)no(?=\s*(?:$|[,.!;:\n")]))|\b(?:false|nope|negative)\b/i;

export const judgeBoolean = (expected: boolean, text: string): Judgement => {
  const [yes, no] = [
    YES.test(text) && !/\bnot (?:true|correct)\b/i.test(text),
    NO.test(text) || /\bnot (?:true|correct)\b/i.test(text),
  ];
  if (yes && no) return { pass: false, evidence: 'says both yes and no' };
  if (!yes && !no) return { pass: false, evidence: `neither yes nor no, ${expected ? 'yes' : 'no'} wanted` };
  return { pass: yes === expected, evidence: `says ${yes ? 'yes' : 'no'}, ${expected ? 'yes' : 'no'} wanted` };
};

const NOTHING =
  /\b(?:none|null|nothing|nobody|no one|unassigned|unset|blank|empty|n\/a|not (?:set|assigned|available|specified|recorded|given|defined)|no (?:value|entry|such))\b|\bthere (?:are|were|is|was) no\b|\b(?:has|have|had) no\b|^\[\s*\]$/i;

/** The answer says that there is nothing, and names no candidate. */
export const judgeNothing = (spec: AnswerSpec, text: string): Judgement => {
  const [wrong] = findNames({ ...spec, expected: [] }, text, false).wrong;
  if (wrong) return { pass: false, evidence: `names "${wrong.name}" where there is nothing` };
  const hit = NOTHING.exec(text)?.[0];
  return hit === undefined
    ? { pass: false, evidence: 'does not say that there is nothing' }
    : { pass: true, evidence: `says "${hit}"` };
};
