/**
 * Judges an answer against its specification (certify.md, "An answer has a specification"). The right value must be there, and
 * nothing that would also be there in a shotgun answer: more than was asked for is wrong.
 */
import type { AnswerSpec } from '../artifacts/check.js';
import { takenBack } from './answer-claims.js';
import { judgeAmount } from './answer-judge-amount.js';
import { judgeDate } from './answer-judge-date.js';
import { judgeList } from './answer-judge-list.js';
import { judgeFacts, judgeName } from './answer-judge-name.js';
import { judgeNumber } from './answer-judge-number.js';
import { judgeBoolean, judgeNothing } from './answer-judge-truth.js';
import { tidy } from './answer-text.js';

export interface Judgement {
  pass: boolean;
  /** What was found, in one line. */
  evidence: string;
}

/** Characters beyond which an answer is a document and no answer. */
export const LONGEST_ANSWER = 10_000;

const oneLine = (text: string): string => {
  const line = text.replace(/\s+/g, ' ');
  return line.length > 240 ? `${line.slice(0, 237)}...` : line;
};

const judge = (spec: AnswerSpec, text: string): Judgement => {
  const { expected } = spec;
  switch (spec.kind) {
    case 'list':
      return judgeList(spec, text);
    case 'text':
      return judgeFacts(spec, text);
    case 'amount':
      return judgeAmount(spec, text);
    case 'date':
      return judgeDate(spec, text);
    case 'number':
      return judgeNumber(spec, text);
    case 'id':
      return judgeName(spec, text, true);
    case 'value':
      if (expected === null) return judgeNothing(spec, text);
      if (typeof expected === 'boolean') return judgeBoolean(expected, text);
      return typeof expected === 'number' ? judgeNumber(spec, text) : judgeName(spec, text, false);
  }
};

/** Whether `answer` meets `spec`, with what was found. Never throws on an answer; a specification without a usable value throws `bad_answer_spec`. */
export const judgeAnswer = (spec: AnswerSpec, answer: string): Judgement => {
  if (answer.length > LONGEST_ANSWER) {
    return { pass: false, evidence: `an answer of ${answer.length} characters, ${LONGEST_ANSWER} at most` };
  }
  const text = tidy(answer);
  if (text === '') return { pass: false, evidence: 'no answer was given' };
  const withdrawn = takenBack(text);
  if (withdrawn !== undefined) return { pass: false, evidence: `the answer takes itself back ("${withdrawn}")` };
  const { pass, evidence } = judge(spec, text);
  return { pass, evidence: oneLine(evidence) };
};
