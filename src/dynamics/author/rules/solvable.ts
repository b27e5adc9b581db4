/** Whether it can be done under the events, and comes out the same each time (rules 5, 7 and 10). */
import { everyPrefix, prefixWords } from '../../solve/prefixes.js';
import { broken, type Case, failing, holds, type Ruling } from '../case.js';

/** Places at which several events are made to come together. */
const PLACES_OF_SET = 8;

/** The re-solved reference passes where events come when they do. */
export const passes = ({ events, solved, reference, watch }: Case): Ruling => {
  if (!solved.verdict.pass) return broken(failing(solved).join('; ') || 'the re-solved reference fails');
  if (!solved.clean && events.every(({ source }) => source !== 'fault'))
    return broken('a call of the re-solved reference fails');
  if (watch && watch.failed.length > 0) return broken(watch.failed.slice(0, 3).join('; '));
  const checks = solved.verdict.milestones.reduce((sum, milestone) => sum + milestone.checks.length, 0);
  const stages = watch
    ? [`${watch.judged} stages from the first event on pass at their ends, as a user sees them who asks one by one`]
    : [];
  return holds(`the re-solved reference passes: ${reference.calls.length} calls, ${checks} checks hold`, ...stages);
};

/** And wherever they may come. */
export const solvable = (tried: Case): Ruling => {
  const { events, stage, scenario } = tried;
  const ruling = passes(tried);
  if (!ruling.pass || events.every(({ when }) => 'after' in when)) return ruling;
  // Each was tried at every place by itself; of them together some places are enough.
  const all = scenario.events;
  const prefixes = everyPrefix(stage, all, scenario.seed, all.length > 1 ? PLACES_OF_SET : undefined);
  const { unsolved } = prefixes;
  return unsolved
    ? broken(`made to come after ${unsolved.after} calls it cannot be done: ${unsolved.why}`)
    : holds(...ruling.evidence, prefixWords(prefixes));
};

/** No event takes a row away that was worked on. */
export const reversible = ({ solved: { engine, session } }: Case): Ruling => {
  const gone = engine.log.flatMap(({ event, touched }) =>
    touched.filter(({ change }) => change === 'delete').map((touch) => ({ event, ...touch })),
  );
  const undone = gone.find(({ service, table, key }) =>
    session.ledger.some((entry) =>
      entry.touched.some((own) => own.service === service && own.table === table && own.key === key),
    ),
  );
  if (undone) return broken(`${undone.event} takes away what was done already: ${undone.table} ${undone.key}`);
  return holds(gone.length === 0 ? 'nothing is taken away' : `${gone.length} rows go, none of them worked on`);
};

export const deterministic = (tried: Case): Ruling => {
  const { solved, reference } = tried;
  if (tried.run(reference).print !== solved.print) return broken('the same calls gave another log or another state');
  return holds(`twice the same calls, twice ${solved.print.slice(0, 12)} (state, firing log, notices)`);
};
