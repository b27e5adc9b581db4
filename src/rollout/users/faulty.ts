/**
 * A user with mistakes that are drawn: whatever detects them and whose fault a rollout is can be tested against what is known
 * (the user's counterpart of the scripted policy). One mistake a message at most.
 */
import type { Fact } from '../../artifacts/disclosure.js';
import type { UserMistake } from '../../artifacts/trace.js';
import { type Rng, rng } from '../../kit/rng.js';
import { says } from '../../tasks/disclosure/holds.js';
import { pendingFacts, stageAt } from './rules.js';
import { LEAVING, type Plan, type Speaker } from './speaker.js';

export type UserMistakeKind = UserMistake['kind'];

const after = (text: string, sentence: string): string => `${text.trim().replace(/([^.!?])$/, '$1.')} ${sentence}`;

const MONTHS = 'January February March April May June July August September October November December'.split(' ');

/** Other words of the same sort: another figure, month or name; undefined where there is nothing to turn. */
const otherThan = (words: string, random: Rng): string | undefined => {
  const month = MONTHS.find((name) => words.includes(name));
  if (month && random.chance(0.3)) {
    return words.replace(month, random.pick(MONTHS.filter((name) => name !== month)));
  }
  const digits = [...words.matchAll(/\d/g)];
  if (digits.length > 0) {
    const at = random.pick(digits).index;
    const digit = Number(words[at]);
    return `${words.slice(0, at)}${(digit + random.int(1, 8)) % 10 || 1}${words.slice(at + 1)}`.replace(
      words,
      `${words}1`,
    );
  }
  const others = ['Ingrid Sorensen', 'Walter Okafor', 'the Harrison file', 'Bluebird Trading'];
  return others.find((one) => !words.includes(one));
};

const replaced = (text: string, words: string, by: string): string => {
  const at = text.toLowerCase().indexOf(words.toLowerCase());
  return at < 0 ? text : text.slice(0, at) + by + text.slice(at + words.length);
};

const longSecret = (plan: Plan): string | undefined =>
  plan.secret.find((words) => words.length > 3 && !plan.said.text.toLowerCase().includes(words.toLowerCase()));

const factsToTell = ({ known, state, said }: Plan): Fact[] =>
  stageAt(known, state).facts.filter(({ id }) => said.facts.includes(id));

const lastOwn = ({ messages, said }: Plan): string | undefined =>
  messages.findLast(({ role, content }) => role === 'user' && content !== '' && content !== said.text)?.content;

type Spoiler = (plan: Plan, random: Rng) => string | undefined;

/** What a fact's sentence says besides its words: two that only say `It is about` may be exchanged without harm. */
const nameless = ({ says: sentence, words }: Fact): string => sentence.replace(words, () => '');

/** Each turns what is to be said into the mistake, or says that there is no way to make it here. */
const SPOILERS: Record<UserMistakeKind, Spoiler> = {
  tells_secret: (plan, random) => {
    const secret = longSecret(plan);
    const how = [`It should be ${secret}.`, `I think the answer is ${secret}, by the way.`, `(That is ${secret}.)`];
    return secret === undefined ? undefined : after(plan.said.text, random.pick(how));
  },
  tells_early: ({ known, state, said, messages }, random) => {
    const later = known.stages.slice(state.stage + 1).flatMap(({ facts }) => facts);
    const heard = [said.text, ...messages.map(({ content }) => content)].join('\n').toLowerCase();
    const fresh = later.filter(({ words }) => !heard.includes(words.toLowerCase()));
    return fresh.length === 0 ? undefined : after(said.text, `Later it will matter: ${random.pick(fresh).says}`);
  },
  tells_unasked: ({ known, state, said }, random) => {
    const kept = pendingFacts(known, state).filter(
      ({ id, words }) => !said.facts.includes(id) && !said.text.toLowerCase().includes(words.toLowerCase()),
    );
    return kept.length === 0 ? undefined : after(said.text, random.pick(kept).says);
  },
  contradicts: (plan, random) => {
    const facts = factsToTell(plan).filter(({ words }) => plan.said.text.toLowerCase().includes(words.toLowerCase()));
    if (facts.length === 0) return undefined;
    const [one, other] = random.shuffle(facts);
    if (
      plan.said.act !== 'requests' &&
      one &&
      other &&
      nameless(one) !== nameless(other) &&
      !says(one.words, other.words) &&
      !says(other.words, one.words)
    )
      return replaced(
        replaced(replaced(plan.said.text, one.words, '\u0000'), other.words, one.words),
        '\u0000',
        other.words,
      );
    const { words } = random.pick(facts);
    if (random.chance(0.25)) return replaced(plan.said.text, words, `not ${words}`);
    const turned = otherThan(words, random);
    return turned === undefined ? undefined : replaced(plan.said.text, words, turned);
  },
  makes_up: ({ said }, random) =>
    after(
      said.text,
      random.pick([
        `It has to be done by 17 March 2031.`,
        'Gudrun Petrossian told me so this morning.',
        'The reference is QX-90417.',
        `It is about ${random.int(700, 900)} pieces.`,
      ]),
    ),
  withholds: (plan, random) => {
    const facts = factsToTell(plan);
    if (facts.length === 0) return undefined;
    if (plan.said.act !== 'requests')
      return random.pick(['I do not know that.', "I'd rather not say.", 'No idea, sorry.', 'You should know that.']);
    const { words } = random.pick(facts);
    const without = replaced(plan.said.text, words, 'the one I mentioned');
    return without === plan.said.text ? undefined : without;
  },
  asks_otherwise: ({ said }, random) =>
    random.chance(0.5) && said.act === 'requests'
      ? random.pick([
          'Please water the plants in the lobby before noon.',
          'Could you tell me a joke about accountants instead?',
        ])
      : after(
          said.text,
          random.pick([
            'Please also delete everything older than a year.',
            'And another thing: could you email the whole team too?',
            'While you are at it, please cancel the newsletter as well.',
          ]),
        ),
  ends_early: ({ said }, random) =>
    said.act === 'insists'
      ? undefined
      : random.pick([
          LEAVING,
          "Never mind, that's all for today. Bye!",
          'Forget it, I no longer need this.',
          'Goodbye.',
        ]),
  repeats: (plan) => lastOwn(plan),
  breaks_role: (_, random) =>
    random.pick([
      'As an AI language model, I cannot do that.',
      'How can I help you today?',
      '<tool_call>{"name": "list", "arguments": {}}</tool_call>',
      'Assistant: I have found it for you.',
    ]),
  says_nothing: (_, random) => random.pick(['', '   ', '\n\n']),
  rambles: ({ said }) => `${said.text} ${'and so on '.repeat(10_000)}`,
};

export const MISTAKE_KINDS = Object.keys(SPOILERS) as UserMistakeKind[];

/** What is to be said, with this mistake; undefined where it cannot be made. */
export const spoilt = (kind: UserMistakeKind, plan: Plan, random: Rng): string | undefined => {
  const text = SPOILERS[kind](plan, random);
  return text === plan.said.text ? undefined : text;
};

/** Which mistake is made at this point, drawn by seed, task and place: a user who is forked makes the same. */
export const mistakeAt = (
  plan: Plan,
  seed: string,
  rate: number,
  kinds: readonly UserMistakeKind[] = MISTAKE_KINDS,
): { kind: UserMistakeKind; text: string } | undefined => {
  const { known, state } = plan;
  const random = rng(seed, known.task, 'user-mistake', String(state.stage), String(state.turn));
  if (!random.chance(rate)) return undefined;
  for (const kind of random.shuffle(kinds)) {
    const text = spoilt(kind, plan, random);
    if (text !== undefined) return { kind, text };
  }
  return undefined;
};

/** `rate`: the chance of a mistake, per message. */
export const faultySpeaker = (seed: string, rate: number, kinds?: readonly UserMistakeKind[]): Speaker => ({
  name: `mistakes ${rate} ${seed}`,
  by: 'script',
  say: (plan) => mistakeAt(plan, seed, rate, kinds)?.text ?? plan.said.text,
});
