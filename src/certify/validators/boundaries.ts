/** 5. boundaries: bad calls give a typed error or an empty result, the state stays untouched, nothing crashes. */
import type { Session } from '../../serve/sessions/session.js';
import { placesOf, rowsOf } from '../answer.js';
import { type BadCall, badCallsOf } from '../bad-calls.js';
import { changesBetween, filesChanged } from '../changes.js';
import type { Probe } from '../probes.js';
import type { ServiceSubject, ServiceValidator } from '../validator.js';
import { takeNotes } from '../validator.js';

const CODE = /^[a-z][a-z0-9_]*$/;

/** What is wrong with how a bad call was answered; undefined when it was answered rightly. */
const fault = (subject: ServiceSubject, session: Session, probe: Probe, bad: BadCall): string | undefined => {
  const { tool } = probe.tool.tool;
  const outcome = session.call(probe.name, bad.args);
  const { error } = outcome;
  if (outcome.ok) {
    if (!bad.codes) return undefined;
    const rows = bad.orEmpty ? rowsOf(placesOf(subject.spec, tool), outcome.result) : undefined;
    return rows?.length === 0 ? undefined : `with ${bad.what} succeeds`;
  }
  if (error?.fault !== 'agent') return `with ${bad.what} crashes: ${error?.code ?? 'no error'}`;
  if (!CODE.test(error.code) || error.status < 400 || error.status > 499)
    return `with ${bad.what} answers an error without a type: ${error.code} ${error.status}`;
  if (bad.codes && !bad.codes.includes(error.code))
    return `with ${bad.what} answers ${error.code}, not ${bad.codes[0]}`;
  const [touch] = outcome.entry.touched;
  return touch ? `with ${bad.what} fails and still changes ${touch.table}` : undefined;
};

/** The state by its pages: a refused call must leave every one as it was. */
const isUntouched = (before: Session, session: Session): boolean =>
  changesBetween(before, session).size === 0 && !filesChanged(before, session);

export const boundaries: ServiceValidator = {
  id: 'boundaries',
  number: 5,
  title: 'Bad calls are refused',
  run: (subject) => {
    const notes = takeNotes();
    let made = 0;
    for (const probe of subject.probes) {
      if (probe.args === undefined) continue;
      const own = notes.of(probe.tool.tool.name);
      const hint = 'Refuse it with a typed error before anything is written.';
      const before = subject.ready(probe);
      let session = before.fork(`${before.id}-bad`);
      for (const bad of badCallsOf(subject, probe)) {
        made++;
        const found = fault(subject, session, probe, bad);
        if (found) own.against(`${probe.name} ${found}`, 'steps', hint);
        const accepted = session.ledger.at(-1)?.ok === true;
        if (accepted && !probe.tool.tool.readOnly) {
          // What an odd but allowed call did must not hide what the next one does.
          session.drop();
          session = before.fork(`${before.id}-bad`);
        }
      }
      if (!isUntouched(before, session))
        own.against(`${probe.name} leaves something behind when it refuses a call`, 'steps', hint);
      session.drop();
      before.drop();
    }
    notes.saw(`${made} bad calls: each refused with a code or answered empty, nothing changed, nothing crashed`);
    return notes.finding('boundaries');
  },
};
