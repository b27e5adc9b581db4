/** Requests for something new: what it is, for whom, with which details. */
import type { Rng } from '../../kit/rng.js';
import { joined, quoted } from './grammar.js';
import { didOf, roleOf, sayColumn } from './names.js';
import { fieldSaid, type Said, startsWith } from './verbs.js';

const CALLED = /^(name|title|full_name|display_name|subject)$/;
const BEGINS = /^(starts_on|start_date|from_day|valid_from|arrives_on|leaves_on)$/;
const ENDS = /^(ends_on|end_date|to_day|valid_until|departs_on|returns_on)$/;

const detail = (one: Said): string => `${fieldSaid(one)} ${one.isText ? quoted(one.words, one.name) : one.words}`;

/** `for customer Brinkhof Interiors`, `with Ana Moreira as owner` */
const people = (said: readonly Said[]): { whose: string; roles: string[]; things: string[] } => {
  let whose = '';
  const roles: string[] = [];
  const things: string[] = [];
  for (const { name, words, noun, isPerson } of said) {
    if (!noun) continue;
    const role = sayColumn(name);
    const thing = startsWith(words, noun) ? words : `${noun} ${words}`;
    if (isPerson && /_by$/.test(name)) roles.push(`${words} as the one who ${didOf(name)} it`);
    else if (isPerson && !/^(employee|email|work email|e-mail)/.test(role)) roles.push(`${words} as ${roleOf(name)}`);
    else if (!noun.includes(role) && !role.includes(noun) && !/e-mail|^employee/.test(role))
      roles.push(`${thing} as ${role}`);
    else if (whose === '') whose = ` for ${thing}`;
    else things.push(thing);
  }
  return { whose, roles, things };
};

/** An imperative, and sentences with what did not fit into it. */
export interface Saying {
  does: string;
  tail: string;
}

/** `create a new promotion called Summer sale for ... with ...`, in one sentence or with the details after it. */
export const sayNew = (opening: string, said: readonly Said[], random: Rng): Saying => {
  const { whose, roles, things } = people(said);
  const plain = said.filter(({ noun }) => !noun);
  const called = plain.find(({ name }) => CALLED.test(name));
  const [begin, end] = [plain.find(({ name }) => BEGINS.test(name)), plain.find(({ name }) => ENDS.test(name))];
  const span = begin && end ? ` from ${begin.words} to ${end.words}` : '';
  const others = plain.filter((one) => one !== called && (span === '' || (one !== begin && one !== end)));
  const title = called
    ? ` ${/title|subject/.test(called.name) ? 'titled' : 'called'} ${quoted(called.words, called.name)}`
    : '';
  const head = `${opening}${title}${whose}${things.length > 0 ? ` and ${joined(things)}` : ''}${span}`;
  const details = [
    ...roles.map((role) => ({ role, text: role })),
    ...others.map((one) => ({ role: undefined, text: detail(one) })),
  ];
  if (details.length === 0) return { does: head, tail: '' };
  const inOne = details.length < 3 || random.chance(0.4);
  const link = / with /.test(head) ? ', with' : ' with';
  if (inOne) return { does: `${head}${link} ${joined(details.map(({ text }) => text))}`, tail: '' };
  const tail = [
    ...(roles.length > 0 ? [`It should have ${joined(roles)}.`] : []),
    ...(others.length > 0
      ? [`${random.pick(['Details', 'The details', 'Please enter'])}: ${others.map(detail).join('; ')}.`]
      : []),
  ].join(' ');
  return { does: head, tail };
};
