/** Messages: an e-mail sent or drafted, a post in a channel; what stands in it is the asker's own words (data/wording.yaml). */
import type { Arg } from '../../artifacts/tool.js';
import type { Rng } from '../../kit/rng.js';
import { wordsOf } from '../../kit/words.js';
import type { Ground } from '../ground/ground.js';
import { dropPlan, type NamedTool, perform, refusalOf, startPlan } from '../ground/plan.js';
import { wording } from '../words/lexicon.js';
import { PERSONAS, requested } from '../words/tone.js';
import { startsWith } from '../words/verbs.js';
import { factsOf, referBindings, revealAll, splitArgs, TRIES } from './arguments.js';
import type { Candidate, Family } from './candidate.js';
import { type Chosen, choose } from './values.js';

const CONTENT = new Set(['subject', 'body']);

/** A tool that makes a message: it takes a text, and an address or a place to put it. */
export const writes = ({ service, tool: { tool } }: NamedTool): boolean =>
  service.role === 'core' &&
  tool.op === 'create' &&
  tool.args.body?.required === true &&
  Object.entries(tool.args).every(([name, arg]) => !arg.required || CONTENT.has(name) || isTo(name, arg));

const isTo = (name: string, arg: Arg): boolean => arg.ref !== undefined || name === 'to_email';

const written = (name: string, value: string): Chosen => ({
  arg: { name, value, origin: { brief: value } },
  name,
  words: value,
  isText: true,
});

/** `send an e-mail to Ana Moreira with the subject “...” and the text “...”`, `post “...” in the channel finance` */
const sayMessage = (tool: NamedTool, chosen: readonly Chosen[], random: Rng): string => {
  const words = (col: string): string | undefined => chosen.find(({ name }) => name === col)?.words;
  const [subject, body] = [words('subject'), words('body')];
  const verb = wordsOf(tool.tool.tool.id.split('.')[1] ?? '').join(' ');
  const to = chosen.filter(({ name }) => !CONTENT.has(name));
  if (subject === undefined) {
    const where = to.map(({ words: text, refers }) => {
      const noun = refers?.service.spec.tables[refers.table]?.noun ?? '';
      return startsWith(text, noun) ? text : `the ${noun} ${text}`;
    });
    return random.pick([
      `post “${body}” in ${where.join(' and ')}`,
      `write “${body}” in ${where.join(' and ')}`,
      `put this in ${where.join(' and ')}: “${body}”`,
    ]);
  }
  const whom = to.map(({ words: text }) => text).join(' and ');
  if (verb === 'send')
    return random.pick([
      `send an e-mail to ${whom} with the subject “${subject}” and the text “${body}”`,
      `write an e-mail to ${whom}, subject “${subject}”, with the text “${body}”`,
      `e-mail ${whom} under the subject “${subject}”: “${body}”`,
    ]);
  return random.pick([
    `draft an e-mail to ${whom} with the subject “${subject}” and the text “${body}”, without sending it`,
    `prepare a draft to ${whom}, subject “${subject}”, with the text “${body}”`,
  ]);
};

export const message: Family = (ground: Ground, tool: NamedTool, random: Rng): Candidate | string => {
  const { service } = tool;
  const table = tool.tool.tool.table;
  const donors = ground.spare(service)(table);
  const to = splitArgs(tool).required.filter(([name]) => !CONTENT.has(name));
  let why = 'nobody to write to and no place to post in';
  for (let tries = 0; tries < TRIES; tries++) {
    const from = donors.length > 0 ? { donor: random.pick(donors) } : {};
    const whom = to.map(([name, arg]) => choose(ground, service, table, name, arg, random, from));
    if (whom.some((one) => one === undefined)) continue;
    const { subject, text } = random.pick(wording().messages);
    const chosen: Chosen[] = [
      ...(whom as Chosen[]),
      ...(tool.tool.tool.args.subject ? [written('subject', subject)] : []),
      written('body', text),
    ];
    const plan = revealAll(ground, startPlan(ground.fresh()), chosen, random);
    if (!plan) continue;
    if (
      !perform(
        plan,
        tool,
        chosen.map(({ arg }) => arg),
      )
    ) {
      why = `a message that the tool refuses: ${refusalOf(plan) ?? 'its place was not seen'}`;
      dropPlan(plan);
      continue;
    }
    const persona = random.pick(PERSONAS);
    const does = sayMessage(tool, chosen, random);
    return {
      family: 'message',
      template: `message:${service.id}.${tool.tool.tool.id}`,
      service,
      persona,
      request: requested(does, persona, random),
      plain: { does, tail: '' },
      vague: 'I have a message that has to go out.',
      facts: factsOf(chosen),
      bindings: referBindings(chosen),
      plan,
      says: 'Done. The message is as you wanted it.',
    };
  }
  return why;
};
