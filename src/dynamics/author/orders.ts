/**
 * Information events: somebody whose word counts writes that a value has to be another one, and the same from somebody without a say
 * or about something else, which changes nothing (DynaWeave, "external information" and distractors).
 */
import type { Call } from '../../artifacts/task.js';
import type { Rng } from '../../kit/rng.js';
import type { Session } from '../../serve/sessions/session.js';
import { nounOf } from '../../tasks/words/names.js';
import type { Candidate } from './accept.js';
import { someChanges } from './change-of-mind.js';
import { happenings, told } from './happenings.js';
import { posted } from './letters.js';
import { type Colleague, colleagues, somebody } from './people.js';
import { rowByKey, rowsWhere } from './rows.js';
import { thingWords } from './thing-words.js';
import { played, type Stage } from './trial.js';
import { momentBefore } from './when.js';

/** A sentence, not a name, an amount or a day. */
const PROSE = /\p{L}{2,}\s+\p{L}{2,}(?!.*\d{4}$)/u;

/** Values of one task that anybody writes about, at most. */
const MOST = 2;

interface Subject {
  /** `invoice INV-12`, `the new credit note` */
  about: string;
  /** Another record of the same kind; undefined where there is none that has a name. */
  another: string | undefined;
}

/** What a call wrote, in words. */
const subjectOf = (stage: Stage, session: Session, n: number, random: Rng): Subject | undefined => {
  const touched = session.ledger[n]?.touched ?? [];
  const own = stage.world.tools.get(stage.task.reference.calls[n]?.tool ?? '')?.tool.tool.table;
  const touch = touched.find(({ table }) => table === own) ?? touched[0];
  const spec = touch && stage.world.services.get(touch.service)?.spec.tables[touch.table];
  if (!touch || !spec) return undefined;
  if (touch.change === 'insert') return { about: `the new ${nounOf(spec)}`, another: undefined };
  const row = rowByKey(session, touch.service, touch.table, touch.key);
  const about = row && thingWords(spec, row);
  if (about === undefined) return undefined;
  const others = rowsWhere(session, touch.service, touch.table, {}, 60).flatMap((other) =>
    other[spec.key.col] === touch.key ? [] : (thingWords(spec, other) ?? []),
  );
  const fitting = others.filter((words) => words !== about && !stage.task.brief.includes(words));
  return { about, another: fitting.length > 0 ? random.pick(fitting) : undefined };
};

interface Idea {
  stage: Stage;
  session: Session;
  subject: Subject;
  /** Of the value: what it is called, and as it should be. */
  field: string;
  now: string;
  /** The event that asks for the same by the user, its call, and the place of that. */
  wish: Candidate;
  other: Call;
  n: number;
  random: Rng;
}

const ordered = (
  { stage, session, subject, field, now, wish, other, n, random }: Idea,
  sender: Colleague,
): Candidate | undefined => {
  const moment = momentBefore(stage.task, n, random);
  const { orders } = happenings();
  const slots = { about: subject.about, field, now };
  const post = moment && {
    ...moment,
    id: wish.event.id.replace(/^new_/, 'order_'),
    sender,
    subject: told(orders.subject, slots, random),
    body: told(orders.body, slots, random),
    about: subject.about,
    authoritative: true,
  };
  const rest = (read: Call) => ({ checks: wish.event.checks, reference: { insert: [read, other], from: n, drop: 1 } });
  const event = post && posted(stage, session, post, rest, random);
  return event && { event, answer: wish.answer };
};

const misleading = (
  { stage, session, subject, field, now, wish, other, n, random }: Idea,
  sender: Colleague,
  isOther: boolean,
): Candidate | undefined => {
  const moment = momentBefore(stage.task, n, random);
  const { noise } = happenings();
  const about = isOther ? subject.another : subject.about;
  if (!moment || about === undefined) return undefined;
  const slots = { about, field, now };
  const post = {
    ...moment,
    id: wish.event.id.replace(/^new_/, isOther ? 'elsewhere_' : 'opinion_'),
    sender,
    subject: told(isOther ? happenings().orders.subject : noise.subject, slots, random),
    body: told(isOther ? noise.other : noise.stranger, slots, random),
    about,
    authoritative: false,
  };
  const rest = (read: Call) => ({
    checks: { retire: [], replace: [], add: [] },
    reference: { insert: [read], from: n, drop: 0 },
    misled: { insert: [read, other], from: n, drop: 1 },
  });
  const event = posted(stage, session, post, rest, random);
  return event && { event, answer: stage.task.reference.answer };
};

/** For each of a few values that are written: an order of the manager's, an opinion, and an order about something else. */
export const orders = (stage: Stage, random: Rng): Candidate[] => {
  const changes = someChanges(stage, random.stream('changes'), MOST);
  if (changes.length === 0) return [];
  const { task } = stage;
  const session = played(stage, task.reference.calls);
  try {
    const people = colleagues(session);
    const boss = people.find(({ email }) => email === people.find((one) => one.email === task.actor.email)?.manager);
    return changes.flatMap(({ candidate: wish, fact, n }) => {
      const own = random.stream(wish.event.id);
      const subject = subjectOf(stage, session, n, own);
      const [other] = wish.event.reference.insert;
      const words = wish.event.notify.tells?.[0]?.words;
      const field = fact.asked[0];
      const stranger = somebody(people, [task.actor.email, boss?.email ?? '', fact.words], own);
      if (!subject || !other || words === undefined || field === undefined) return [];
      const idea = { stage, session, subject, field, now: PROSE.test(words) ? `“${words}”` : words, wish, other, n };
      const isOther = own.chance(0.5) && subject.another !== undefined;
      const sender = isOther ? boss : stranger;
      return [
        boss && ordered({ ...idea, random: own.stream('order') }, boss),
        sender && misleading({ ...idea, random: own.stream('noise') }, sender, isOther),
      ].flatMap((one) => one ?? []);
    });
  } finally {
    session.drop();
  }
};
