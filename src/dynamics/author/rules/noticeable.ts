/** Whether an agent can know in time, and has still to find out what is asked (rule 6). */
import type { ScenarioEvent } from '../../../artifacts/scenario.js';
import { isLate } from '../../solve/edits.js';
import { broken, type Case, firedAfter, holds, isDistractor, type Ruling } from '../case.js';
import { unnoticeableLie } from './faults.js';

const plain = (words: string): string =>
  words
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

/** Whether the words give away what has to be found out. */
const givesAway = (text: string, answer: string): boolean => {
  const told = plain(answer);
  return told.length > 2 && ` ${plain(text)} `.includes(` ${told} `);
};

const ofOne = (tried: Case, event: ScenarioEvent): Ruling => {
  const { solved, course, stage, reference } = tried;
  const { task } = stage;
  const { id, notify, effect, source } = event;
  const at = firedAfter(solved, id) ?? 0;
  const { from } = event.reference;
  if (course.missed.includes(id))
    return broken(
      `${id} fires after call ${at}, when the reference has gone past call ${from} already, and nothing makes up for it`,
    );
  const fired = course.fired.find((one) => one.event.id === id);
  const when =
    fired && isLate(fired) ? `call ${from} is done by then and made up for` : `before call ${from} that it changes`;
  const lie = unnoticeableLie(tried, event);
  if (lie !== undefined) return broken(`${id}: ${lie}`);
  const discoverBy = notify.discoverBy ?? [];
  if (!isDistractor(event) && notify.to === 'none' && source !== 'fault' && discoverBy.length === 0)
    return broken(`${id}: nobody tells of it and no tool shows it`);
  const told = notify.text ?? ('say' in effect ? effect.say : '');
  if (task.answer && source !== 'requirement' && givesAway(told, reference.answer))
    return broken(`${id}: what is told gives the answer away`);
  const how =
    notify.to === 'none' ? `shown by ${discoverBy.join(', ') || 'the failing call'}` : `told to the ${notify.to}`;
  return holds(`${id} is ${how} after call ${at}; ${when}`);
};

export const noticeable = (tried: Case): Ruling => {
  const rulings = tried.events.map((event) => ofOne(tried, event));
  return rulings.find(({ pass }) => !pass) ?? holds(...rulings.flatMap(({ evidence }) => evidence));
};
