/** One rollout on the terminal, or as data: what the corpus knows of it, and its calls run once more for the values. */
import type { Task } from '../../../artifacts/task.js';
import type { Corpus } from '../../../corpus/corpus.js';
import { findScenario } from '../../../corpus/scenarios.js';
import { EventEngine } from '../../../dynamics/engine/engine.js';
import { taskIn } from '../../../dynamics/logged.js';
import { asTreadleError } from '../../../errors.js';
import { outcomeOf } from '../../../rollout/outcome.js';
import { type Retraced, retrace, type ServiceChange } from '../../../rollout/retrace/retrace.js';
import { behaviourOf } from '../../../verify/behaviour/registry.js';
import { loadWorld, unloadWorld } from '../../../world/loaded.js';
import { Engine } from '../../../world/state/engine.js';
import type { Ui } from '../../ui.js';
import { conversationLines } from './conversation.js';
import type { Placed } from './find.js';
import type { ShownTrace } from './shown.js';
import { footLines, headLines } from './summary.js';

/** The world and the task as they were when the rollout was made; undefined where the corpus has others now. */
const placeOf = (corpus: Corpus, { found, world }: Placed): { world: string; task: Task } | undefined => {
  const among = world === undefined ? corpus.worlds() : [world];
  for (const id of among) {
    const listed = corpus.listTasks(id).tasks.find((task) => task.hash === found.trace.task);
    if (!listed) continue;
    const task = corpus.readTasks(id).tasks.find((one) => one.id === listed.id);
    if (task) return { world: id, task };
  }
  return undefined;
};

/** Adds what the corpus knows. What cannot be read or run again is said, and is no reason to show nothing. */
export const shownTrace = async (placed: Placed, corpus: Corpus | undefined, full: boolean): Promise<ShownTrace> => {
  const bare: ShownTrace = { ...placed.found, services: [], full };
  if (!corpus) return { ...bare, notRetraced: 'there is no corpus beside the file' };
  let engine: Engine | undefined;
  let known: ShownTrace = bare;
  try {
    const place = placeOf(corpus, placed);
    if (!place) return { ...bare, notRetraced: 'the corpus has no such task any more' };
    const files = corpus.readWorld(place.world);
    const { trace } = placed.found;
    known = { ...bare, task: place.task, services: files.services };
    const scenario = trace.scenario && findScenario(corpus, place.world, trace.scenario.hash);
    if (trace.scenario && !scenario) return { ...known, notRetraced: 'the corpus has no such scenario any more' };
    if (scenario) known = { ...known, scenario, task: taskIn(place.task, scenario, trace) };
    engine = await Engine.start();
    const world = loadWorld(engine, files);
    const retraced = retrace(world, place.task, trace.ledger, scenario && new EventEngine(scenario));
    unloadWorld(world);
    return { ...known, retraced };
  } catch (thrown) {
    return { ...known, notRetraced: asTreadleError(thrown, 'world').line() };
  } finally {
    engine?.close();
  }
};

/** Calls with changes, up to where the results part. */
const byCall = (all: readonly ServiceChange[][], { differsAt = Number.POSITIVE_INFINITY }: Retraced): object[] =>
  all.map((changes, call) => ({ call, changes })).filter(({ call, changes }) => changes.length > 0 && call < differsAt);

/** Everything as data; `calls` are the ledger's entries with what they changed. */
export const traceData = ({ trace, verdict, stages, reward, retraced, notRetraced }: ShownTrace): object => ({
  trace,
  ...(verdict ? { verdict, ...outcomeOf(trace, verdict) } : {}),
  ...(stages ? { stages } : {}),
  ...(reward ? { reward } : {}),
  behaviour: behaviourOf(trace),
  changes: retraced ? byCall(retraced.changes, retraced) : null,
  ...(retraced?.outside ? { outside: byCall(retraced.outside, retraced) } : {}),
  ...(retraced?.differsAt === undefined ? {} : { differsAt: retraced.differsAt }),
  ...(notRetraced === undefined ? {} : { notRunAgain: notRetraced }),
});

export const sayTrace = (ui: Ui, shown: ShownTrace): void => {
  for (const { text, style } of [...headLines(shown), ...conversationLines(shown), ...footLines(shown)])
    ui.say(style === undefined ? text : ui.style(style, text));
};
