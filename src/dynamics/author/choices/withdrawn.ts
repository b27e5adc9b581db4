/** Requirement events: of several things that were asked for, one is not to be done after all. */

import type { Table } from '../../../artifacts/table.js';
import type { Rng } from '../../../kit/rng.js';
import { sayLabel } from '../../../tasks/ground/say.js';
import type { Candidate } from '../accept.js';
import type { Stage } from '../trial.js';
import { eventByRun } from './rerun.js';
import { atWrites, type Site } from './sites.js';
import { slotsOf, writesOf } from './slots.js';

/** The row a call acts on, as whoever asked calls it: by a label, or by a number that they were given themselves. */
export const subjectWords = (site: Site): string | undefined => {
  const subject = slotsOf(site.session, site.call).find(({ isSubject }) => isSubject);
  if (!subject) return undefined;
  const { spec } = site.session.world.services.get(subject.service) as { spec: { tables: Record<string, Table> } };
  const table = spec.tables[subject.table] as Table;
  // A key that the service made up is an id that nobody says; one that came with the data is what people call it.
  const name = sayLabel(table, subject.row) ?? (table.key.gen === undefined ? subject.key : undefined);
  return name === undefined ? undefined : `${table.noun} ${name}`;
};

const candidatesOf = (site: Site): Candidate[] => {
  const { stage, n, call, when, random } = site;
  const { calls } = stage.task.reference;
  const what = subjectWords(site);
  const isSubjectOnce = writesOf(stage.world, calls).every((at) => at === n || differs(site, at));
  if (what === undefined || !isSubjectOnce || writesOf(stage.world, calls).length < 2) return [];
  const say = random.pick([
    `On reflection, please leave ${what} exactly as it is. I still want the other things.`,
    `Forget about ${what}, I do not want anything done to it any more. The rest please as I asked.`,
  ]);
  const candidate = eventByRun(stage, {
    id: `without_${call.tool
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '_')
      .slice(0, 40)}_${n}`,
    source: 'requirement',
    when,
    effect: { say },
    notify: { to: 'user', text: say },
    calls: calls.filter((_, at) => at !== n),
    ...(stage.task.answer ? {} : { answer: `The rest is done, and ${what} stays as it is.` }),
  });
  return candidate ? [candidate] : [];
};

const differs = ({ session, call, stage }: Site, at: number): boolean => {
  const keyOf = (one: typeof call): unknown => slotsOf(session, one).find(({ isSubject }) => isSubject)?.key;
  const other = stage.task.reference.calls[at];
  return other === undefined || keyOf(other) !== keyOf(call);
};

export const withdrawn = (stage: Stage, random: Rng): Candidate[] => atWrites(stage, random, candidatesOf);
