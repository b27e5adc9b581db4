/** What events do when they fire: that they do, that the world stays whole, and that they do what they say (rules 1 and 2). */
import { policiesOf } from '../../../tasks/gate.js';
import { meeting, pathWords } from '../../paths.js';
import { writtenPlaces } from '../../verifier/footprints.js';
import { broken, type Case, holds, type Ruling } from '../case.js';
import { impossibleFault } from './faults.js';

/** Every event fires while the reference is carried out, unless another excludes it, and breaks no invariant of the world. */
export const applies = ({ scenario, solved, stage }: Case): Ruling => {
  const { engine, session } = solved;
  const evidence: string[] = [];
  for (const event of scenario.events) {
    const impossible = impossibleFault(stage, event);
    if (impossible !== undefined) return broken(`${event.id}: ${impossible}`);
  }
  for (const { id } of scenario.events) {
    const fate = engine.log.find((entry) => entry.event === id);
    if (fate?.fate === 'fired')
      evidence.push(`${id} fired after call ${fate.calls} of ${session.calls} and changed ${fate.touched.length} rows`);
    else if (fate?.fate === 'skipped' && engine.fired().some((other) => engine.graph.excludes(id, other.id)))
      evidence.push(`${id} did not come: ${fate.reason}`);
    else return broken(`${id}: ${fate?.reason ?? 'it never fires while the reference is carried out'}`);
  }
  const { concerned, broken: lost } = policiesOf(stage, solved.session);
  if (lost.length > 0) return broken(...lost.map(({ says }) => `an invariant of the world is broken then: ${says}`));
  return holds(...evidence, `${concerned.length} invariants of the world looked at, none broken`);
};

export const writesAsDeclared = ({ events, solved }: Case): Ruling => {
  const evidence: string[] = [];
  for (const { id, writes } of events) {
    const written = writtenPlaces(solved.engine.log.find(({ event }) => event === id)?.touched ?? []);
    const undeclared = written.find((place) => meeting([place], writes) === undefined);
    if (undeclared) return broken(`${id} writes ${pathWords(undeclared)} and does not say so`);
    const unwritten = writes.find((place) => meeting([place], written) === undefined);
    if (unwritten) return broken(`${id} says that it writes ${pathWords(unwritten)} and does not`);
    evidence.push(`${id} wrote ${written.map(pathWords).join(', ') || 'nothing'}, as it says`);
  }
  return holds(...evidence);
};
