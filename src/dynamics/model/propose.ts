/**
 * A model as the author of a task's events: it sees the request, the calls with what they showed, the rows in reach and the tools,
 * writes one event at a time, and is told which rule a refused one broke, with the evidence. What it writes is only ever data.
 */
import type { Desk } from '../../author/model/desk.js';
import { asTreadleError } from '../../errors.js';
import { accountOf } from '../../tasks/model/account.js';
import { ask } from '../../tasks/model/ask.js';
import { cut, marked } from '../../tasks/model/marked.js';
import { toolLines } from '../../tasks/model/show.js';
import { decide, type Reason } from '../author/accept.js';
import type { Authored } from '../author/author.js';
import type { Made } from '../author/made.js';
import { candidateFrom, type Site, Unfit } from './compile.js';
import { EventForm, RULES, SYSTEM, WrittenEvent } from './form.js';
import { rowLines } from './reach.js';

/** Why a model's event was refused before any rule could look at it. */
export const UNFIT = 'unfit';

export interface Wish {
  /** Events that are wanted of the task. */
  perTask: number;
  /** Answers that a task may take. */
  rounds: number;
  seed: string;
  sources?: readonly string[];
}

const MOST_WRITTEN = 700;
const MOST_TOOLS = 9_000;

interface Tried {
  written: string;
  why: string;
}

const promptOf = (
  site: Site,
  accepted: readonly Made[],
  tried: readonly Tried[],
  sources: readonly string[] | undefined,
): string => {
  const { stage, ground, rows } = site;
  // The ground has the task's own rows already.
  const { grounding: _, ...still } = stage.task;
  const services = [...new Set(stage.task.reference.calls.map(({ service }) => service))];
  const tools = services
    .flatMap((id) => {
      const service = stage.world.services.get(id);
      return service ? [toolLines(ground, service)] : [];
    })
    .join('\n');
  const told = accepted.map(
    ({ scenario }) =>
      `- ${cut(JSON.stringify(scenario.events.map(({ source, effect, notify }) => ({ source, effect: Object.keys(effect)[0], text: notify.text }))), 400)}`,
  );
  const refused = tried
    .slice(-4)
    .map(({ written, why }) => `- ${cut(written, MOST_WRITTEN)}\n  refused: ${cut(why, 500)}`);
  return [
    marked('request', accountOf(ground, still)),
    marked('tools', cut(tools, MOST_TOOLS)),
    `Rows that it is about, under labels, with the values as tools write them:\n${marked('rows', rowLines(rows) || 'none')}`,
    told.length > 0 ? `There are events already; write another one:\n${marked('seen', told.join('\n'))}` : '',
    refused.length > 0 ? `Refused; mend it or write another one:\n${marked('seen', refused.join('\n'))}` : '',
    RULES,
    sources ? `Only of these sources: ${sources.join(', ')}.` : '',
  ]
    .filter(Boolean)
    .join('\n\n');
};

/** Runs what was written through the ten rules; `why` where it was refused. */
const decideOnWritten = (
  site: Site,
  written: WrittenEvent,
  id: string,
  seed: string,
): { made: Made } | { rule: Reason | typeof UNFIT; why: string } => {
  try {
    const decision = decide(site.stage, candidateFrom(site, written, id), seed);
    if (!decision.accepted) return { rule: decision.rule, why: decision.evidence };
    const { scenario, reference, findings } = decision;
    return { made: { scenario, reference, findings } };
  } catch (thrown) {
    if (thrown instanceof Unfit) return { rule: UNFIT, why: thrown.message };
    return { rule: UNFIT, why: asTreadleError(thrown, 'task').line() };
  }
};

export interface Proposed extends Omit<Authored, 'refused'> {
  refused: (Omit<Authored['refused'][number], 'rule'> & { rule: Reason | typeof UNFIT })[];
}

/** At most `perTask` accepted events, each a scenario of its own. Ends at the budget, at the rounds, or when it has no more. */
export const proposedFor = async (
  desk: Desk,
  site: Site,
  { perTask, rounds, seed, sources }: Wish,
): Promise<Proposed> => {
  const { task } = site.stage;
  const proposed: Proposed = { accepted: [], refused: [], candidates: 0 };
  const tried: Tried[] = [];
  for (let round = 0; round < rounds && proposed.accepted.length < perTask && !desk.ended; round++) {
    const said = await ask(desk, {
      part: `event of ${task.id}`,
      system: SYSTEM,
      prompt: promptOf(site, proposed.accepted, tried, sources),
      form: EventForm,
      read: WrittenEvent,
    });
    if ('why' in said && desk.ended) break;
    const id = `by_model_${round + 1}`;
    proposed.candidates++;
    const refuse = (source: string, rule: Reason | typeof UNFIT, why: string, written: string): void => {
      proposed.refused.push({ event: id, source, rule, evidence: why });
      tried.push({ written, why: rule === UNFIT ? why : `${rule}: ${why}` });
    };
    if ('why' in said) {
      refuse('unknown', UNFIT, `unreadable answer: ${said.why}`, 'the answer');
      continue;
    }
    const { source } = said.value;
    if (source === 'none') {
      proposed.candidates--;
      break;
    }
    const written = JSON.stringify(said.value);
    if (sources && !sources.includes(source)) {
      refuse(source, UNFIT, `its source is none of ${sources.join(', ')}`, written);
      continue;
    }
    const decided = decideOnWritten(site, said.value, id, seed);
    if ('made' in decided) proposed.accepted.push(decided.made);
    else refuse(source, decided.rule, decided.why, written);
  }
  return proposed;
};
