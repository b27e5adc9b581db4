/** Letters woven into a task as events: a message that comes, how it is told of, and the call by which it is read. */
import type { ReferenceEdit, ScenarioEvent } from '../../artifacts/scenario.js';
import type { Call } from '../../artifacts/task.js';
import type { Rng } from '../../kit/rng.js';
import type { Session } from '../../serve/sessions/session.js';
import { affectedChecks } from '../verifier/footprints.js';
import { eventOf } from './blank.js';
import { type Channel, channelsOf, type Letter, published } from './channels.js';
import { happenings, told } from './happenings.js';
import { type Colleague, introduced } from './people.js';
import { type Stage, tryOut } from './trial.js';
import { Known, waysTo } from './ways.js';

export interface Post {
  id: string;
  when: ScenarioEvent['when'];
  /** The reference's call after which it comes. */
  at: number;
  sender: Colleague;
  subject: string;
  body: string;
  /** What it is about, in words. */
  about: string;
  authoritative: boolean;
}

/** The call that shows the message, as an agent finds it that is told who wrote. */
const readingOf = (
  stage: Stage,
  event: ScenarioEvent,
  { service, table }: Channel,
  key: string | number,
  post: Post,
): Call | undefined => {
  const { calls } = stage.task.reference;
  const { session } = tryOut(
    stage,
    { events: [event], seed: 'draft' },
    { calls: calls.slice(0, post.at + 1), answer: '' },
  );
  try {
    const known = new Known({ brief: `${stage.task.brief} ${post.sender.email}` });
    known.read([post.sender.email]);
    const [way] = waysTo(session, { service, table, key }, '', known);
    return way?.call;
  } finally {
    session.drop();
  }
};

/** The inbox and one of the channels, in a drawn order: there are many channels and one inbox. */
const inTurn = (channels: readonly Channel[], random: Rng): Channel[] => {
  const of = (form: Channel['form']): Channel[] =>
    random.shuffle(channels.filter((one) => one.form === form)).slice(0, 1);
  return random.chance(0.6) ? [...of('inbox'), ...of('channel')] : [...of('channel'), ...of('inbox')];
};

/**
 * The event of a message that comes in one of the channels, without what it makes of checks and reference, and the call that reads
 * it. Undefined where there is no channel that the task leaves alone, or none in which it can be read.
 */
export const posted = (
  stage: Stage,
  session: Session,
  post: Post,
  rest: (read: Call) => Pick<ScenarioEvent, 'reference' | 'checks'> & { misled?: ReferenceEdit },
  random: Rng,
): ScenarioEvent | undefined => {
  const { id, when, sender, subject, body, about, authoritative, at } = post;
  for (const channel of inTurn(channelsOf(stage, session), random)) {
    const letter: Letter = { from: sender.email, subject, body, authoritative, at: stage.world.spec.clock + at };
    const made = published(stage, channel, letter, random);
    const { service, table, form, where } = channel;
    const writes = made ? [{ service, table, key: made.key }] : [];
    if (!made || affectedChecks(stage.task.milestones, writes).length > 0) continue;
    const text = told(happenings().told[form], { who: introduced(sender), where, subject, about }, random);
    const event = eventOf({
      id,
      source: 'information',
      when,
      writes,
      effect: made.effect,
      notify: { to: 'environment', text },
      reference: { insert: [], from: 0, drop: 0 },
    });
    const read = readingOf(stage, event, channel, made.key, post);
    if (read) return { ...event, notify: { ...event.notify, discoverBy: [read.tool] }, ...rest(read) };
  }
  return undefined;
};
