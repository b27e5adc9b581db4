/**
 * What is wrong with a simulated user's message, measured by what its briefing lets it say. Public benchmarks put a good part of
 * their failures on the user (rollout.md, "Disclosure"): here such a message is not sent, or the rollout is the user's fault.
 */
import type { Fact } from '../../artifacts/disclosure.js';
import type { Task } from '../../artifacts/task.js';
import type { Message, UserMistake } from '../../artifacts/trace.js';
import { type Fault, faultsOf } from '../../tasks/disclosure/check.js';
import { leadsTo, says, saysInOtherOrder } from '../../tasks/disclosure/holds.js';
import type { Known, KnownStage } from './known.js';
import { pendingFacts, stageAt } from './rules.js';
import { LEAVING, type Plan } from './speaker.js';
import { asksForMore, deniesIt, isLeaving, isRefusing, speaksAsAssistant, takesItBack } from './tells-of.js';

export type MistakeFinder = (text: string, plan: Plan) => UserMistake[];

type Kind = UserMistake['kind'];

/** Kinds that hand the agent what it had to find or ask for; a pass with them proves nothing. */
const GIVES_AWAY = new Set<Kind>(['tells_secret', 'tells_early', 'tells_unasked']);
export const givesAway = ({ kind }: UserMistake): boolean => GIVES_AWAY.has(kind);

/** Kinds that no agent is ever sent: no model takes them well, whoever is trusted. */
const UNFIT = new Set<Kind>(['says_nothing', 'rambles', 'breaks_role']);
export const isUnfit = ({ kind }: UserMistake): boolean => UNFIT.has(kind);

const normal = (text: string): string => text.toLowerCase().replace(/\s+/g, ' ').trim();

/** What has been said of the stage by now. */
const mentioned = ({ request, facts }: KnownStage, told: readonly string[]): string[] => [
  request,
  ...facts.filter(({ id }) => told.includes(id)).flatMap(({ words, says: sentence }) => [words, sentence]),
];

const laterFacts = (known: Known, stage: number): readonly Fact[] =>
  known.stages.slice(stage + 1).flatMap(({ facts }) => facts);

/** The facts that a message tells; `loosely`: in any order of their words. */
export const factsSaid = (text: string, facts: readonly Fact[]): Fact[] =>
  facts.filter(({ words }) => says(text, words) || saysInOtherOrder(text, words));

/** A fact under the name of another: `The from location is <the to location>`. */
const exchanged = (text: string, planned: string, must: readonly Fact[]): string | undefined => {
  const own = normal(planned);
  const clauses = text
    .split(/[.;!?\n]+|,\s+(?=and |the |to |from )|\band\b/i)
    .filter((clause) => !own.includes(normal(clause)));
  for (const one of must)
    for (const other of must) {
      if (one === other || says(one.words, other.words)) continue;
      const turned = one.says.replace(one.words, () => other.words).replace(/[.!]+$/, '');
      if (turned !== one.says.replace(/[.!]+$/, '') && says(text, turned) && !says(planned, turned))
        return `it says “${turned}”`;
      const [name, otherName] = [one.asked[0] ?? '', other.asked[0] ?? ''];
      if (name === otherName || says(otherName, name) || says(name, otherName)) continue;
      const isWrong = clauses.some(
        (clause) =>
          leadsTo(clause, other.words).some((lead) => says(lead, name)) &&
          !says(clause, one.words) &&
          // A fact of a hand-written task may be called by its own words.
          (otherName === other.words || !says(clause, otherName)),
      );
      if (isWrong) return `it calls “${other.words}” the ${name}`;
    }
  return undefined;
};

const isRepeated = (text: string, said: string, messages: readonly Message[]): boolean =>
  normal(text) !== normal(said) &&
  messages.some(({ role, content }) => role === 'user' && normal(content) === normal(text));

const kindOf = (
  fault: Fault,
  all: readonly Fault[],
  early: ReadonlySet<string>,
  unasked: ReadonlySet<string>,
): Kind => {
  const has = (kind: Fault['kind']): boolean => all.some((one) => one.kind === kind);
  switch (fault.kind) {
    case 'empty':
      return 'says_nothing';
    case 'long':
      return 'rambles';
    case 'markup':
      return 'breaks_role';
    case 'lost':
      return has('made_up') ? 'contradicts' : 'withholds';
    case 'made_up':
      return has('lost') ? 'contradicts' : 'makes_up';
    case 'otherwise':
      return 'asks_otherwise';
    case 'leaked':
      return unasked.has(fault.words) ? 'tells_unasked' : early.has(fault.words) ? 'tells_early' : 'tells_secret';
  }
};

/** Finds the mistakes of a task's user; none for words that say what is to be said and nothing else. */
export const mistakesOf = (task: Task): MistakeFinder => {
  return (text, plan) => {
    const { known, state, said, must, secret, messages } = plan;
    const stage = stageAt(known, state);
    const isRequest = said.act === 'requests' || said.act === 'insists';
    const whole = normal(text);
    if (whole === normal(said.text)) return [];
    const pending = pendingFacts(known, state).filter(({ id }) => !said.facts.includes(id));
    const later = laterFacts(known, state.stage);
    const unasked = new Set(pending.map(({ words }) => words));
    const early = new Set(later.map(({ words }) => words));
    const bounds = {
      original: said.text,
      must,
      secret: [...unasked, ...early, ...secret],
      // Who asks may sign with the own name, unless that is what is still to be asked for.
      may: [
        ...mentioned(stage, state.told),
        ...[task.actor.name].filter((name) => !unasked.has(name) && !early.has(name)),
      ],
    };
    const all = [...faultsOf(text, bounds, isRequest)];
    const leaked = all.filter(({ kind }) => kind === 'leaked');
    const faults = all.filter(
      ({ kind, words }) =>
        !(kind === 'lost' && saysInOtherOrder(text, words)) &&
        // What is given away is no invention besides.
        !(kind === 'made_up' && leaked.some((one) => one.words.toLowerCase().includes(words.toLowerCase()))),
    );
    // Who takes leave and still says what was to be said has not left.
    const isLoss =
      !isRequest && must.length === 0 ? true : faults.some(({ kind }) => kind === 'lost' || kind === 'otherwise');
    if (isLoss && isLeaving(text, LEAVING, said.text))
      return [{ kind: 'ends_early', why: 'it ends the conversation while something is still wanted' }];
    const found: UserMistake[] = faults.map((fault) => ({
      kind: kindOf(fault, faults, early, unasked),
      why: fault.why,
    }));
    const add = (kind: Kind, why: string | undefined): void => {
      if (why !== undefined && !found.some((one) => one.kind === kind)) found.push({ kind, why });
    };
    const told = stage.facts.filter(({ id }) => said.facts.includes(id));
    add('breaks_role', speaksAsAssistant(text));
    add('contradicts', deniesIt(text, said.text, must));
    add('contradicts', takesItBack(text, said));
    add('contradicts', exchanged(text, said.text, told));
    if (must.length > 0) add('withholds', isRefusing(text, said.text));
    add('asks_otherwise', asksForMore(text, [bounds.original, ...bounds.may].join('\n')));
    if (isRepeated(text, said.text, messages)) add('repeats', 'it says again what it said before');
    return found;
  };
};
