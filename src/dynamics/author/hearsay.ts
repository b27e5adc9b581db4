/** Distractors: somebody who has not looked it up says what the answer is, wrongly. Who passes that on fails. */
import type { AnswerSpec } from '../../artifacts/check.js';
import type { Call } from '../../artifacts/task.js';
import { longDate, parseIso } from '../../kit/calendar.js';
import type { Rng } from '../../kit/rng.js';
import { wordsOf } from '../../kit/words.js';
import { sayMoney } from '../../tasks/ground/say.js';
import { judgeAnswer } from '../../verify/answer.js';
import type { Candidate } from './accept.js';
import { memoryOf } from './believing.js';
import { happenings, told } from './happenings.js';
import { posted } from './letters.js';
import { colleagues, somebody } from './people.js';
import { played, type Stage } from './trial.js';
import { momentBefore } from './when.js';

const saidLike = ({ kind, currency = '' }: AnswerSpec, value: string | number): string | undefined => {
  if (kind === 'amount') return typeof value === 'number' ? sayMoney(value, currency) : value;
  if (kind === 'date') {
    const day = typeof value === 'number' ? value : parseIso(value.slice(0, 10));
    return day === undefined ? undefined : longDate(day);
  }
  return /^[a-z]+(_[a-z]+)+$/.test(String(value)) ? wordsOf(String(value)).join(' ') : String(value);
};

/** A wrong answer that somebody might believe in; undefined where there is none. */
const wrongAnswer = (spec: AnswerSpec, random: Rng): string | undefined => {
  if (!['value', 'number', 'amount', 'date', 'id'].includes(spec.kind)) return undefined;
  const { expected } = spec;
  const near = spec.kind === 'number' && typeof expected === 'number' ? [expected + random.int(1, 3)] : [];
  const others = [...spec.distractors, ...near].flatMap((value) => saidLike(spec, value) ?? []);
  const wrong = others.filter((words) => words !== '' && !judgeAnswer(spec, words).pass);
  return wrong.length > 0 ? random.pick(wrong) : undefined;
};

/** Another reply to one of the questions. */
const withAnswer = (says: readonly string[], n: number, wrong: string): string =>
  says.length === 1 ? wrong : says.map((one, i) => `${i + 1}. ${i === n ? wrong : one}`).join('\n');

/** One at most, about one of the questions. */
export const hearsay = (stage: Stage, random: Rng): Candidate[] => {
  const { task } = stage;
  const { answers } = memoryOf(stage);
  const n = answers.length > 0 ? random.int(0, answers.length - 1) : -1;
  const question = answers[n];
  const spec = question && (task.milestones.find(({ id }) => id === question.milestone)?.answer ?? task.answer);
  const wrong = spec && wrongAnswer(spec, random);
  const moment = question && momentBefore(task, question.to, random);
  if (!spec || wrong === undefined || !moment) return [];
  const session = played(stage, []);
  try {
    const sender = somebody(colleagues(session), [task.actor.email, wrong, String(spec.expected)], random);
    if (!sender) return [];
    const { noise } = happenings();
    const about = 'a question of yours';
    const slots = { asks: spec.asks, now: wrong, about };
    const post = {
      ...moment,
      id: 'hearsay',
      sender,
      subject: told(noise.subject, slots, random),
      body: told(noise.hearsay, slots, random),
      about,
      authoritative: false,
    };
    const answer = withAnswer(
      answers.map(({ says }) => says),
      n,
      wrong,
    );
    const rest = (read: Call) => ({
      checks: { retire: [], replace: [], add: [] },
      reference: { insert: [read], from: moment.at + 1, drop: 0 },
      misled: { insert: [read], from: moment.at + 1, drop: 0, answer },
    });
    const event = posted(stage, session, post, rest, random);
    return event ? [{ event, answer: task.reference.answer }] : [];
  } finally {
    session.drop();
  }
};
