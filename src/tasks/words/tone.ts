/** The tone of a request: how somebody of a given manner asks for something, or asks something. */
import type { Rng } from '../../kit/rng.js';
import { capital, closed } from './grammar.js';

/** `{}` is the imperative or the thing asked for, `{C}` the same with a capital. */
interface Manner {
  persona: string;
  doing: readonly string[];
  asking: readonly string[];
}

const MANNERS: readonly Manner[] = [
  {
    persona: 'brief and friendly',
    doing: ['Please {}.', '{C}, please.', 'Can you {}? Thanks!', 'Could you {}? Thank you.', '{C}. Thanks!'],
    asking: ['What is {}?', 'Can you tell me {}? Thanks!', 'I need {}, please.', 'Could you give me {}?'],
  },
  {
    persona: 'in a hurry',
    doing: [
      'Quick one: {}.',
      'I need you to {}.',
      '{C}, please - today if you can.',
      'Please {} right away.',
      'Can you quickly {}?',
    ],
    asking: ['Quick question: what is {}?', '{C} - what is it?', 'I need {}, quickly please.', 'Please check {}.'],
  },
  {
    persona: 'formal',
    doing: [
      'Would you please {}?',
      'I would like you to {}.',
      'Kindly {}.',
      'I should be grateful if you could {}.',
      'We kindly ask you to {}.',
    ],
    asking: [
      'Would you please tell me {}?',
      'May I ask what {} is?',
      'I would like to know {}.',
      'Kindly let me know {}.',
    ],
  },
  {
    persona: 'chatty',
    doing: [
      'Hi! Could you {}? That would be great.',
      'Hello, I have one for you: {}.',
      'When you have a minute, could you {}?',
      'Good morning! Would you {} for us?',
      'Hi there, we need to {}. Can you do that?',
    ],
    asking: [
      'Hi! Do you happen to know {}?',
      'When you have a minute, could you look up {}?',
      'Hello, somebody just asked me for {}. What is it?',
    ],
  },
  {
    persona: 'precise, gives details when asked',
    doing: [
      'We need to {}.',
      'Please {}, and nothing else.',
      'One task: {}.',
      'The next thing to do is to {}.',
      '{C}.',
    ],
    asking: ['Please look up {}.', 'Please find out {}.', 'What exactly is {}?', 'I am looking for {}.'],
  },
  {
    persona: 'new in the job, a little unsure',
    doing: [
      'I was asked to {}. Could you do that for me?',
      'Could you help me {}?',
      'I am new here and have to {}. Could you do it for me?',
      'Would you mind helping me {}?',
      'I think we have to {}. Can you take care of it?',
    ],
    asking: [
      'I cannot find {}. Can you look it up?',
      'Where would I see {}? Please tell me what it is.',
      'Could you help me find {}?',
    ],
  },
];

export const PERSONAS: readonly string[] = MANNERS.map(({ persona }) => persona);

const mannerOf = (persona: string): Manner =>
  MANNERS.find((manner) => manner.persona === persona) ?? (MANNERS[0] as Manner);

const filled = (form: string, text: string): string => {
  const said = form.replace('{C}', capital(text)).replace('{}', text);
  return capital(said.replace(/([.?!]”)\./g, '$1'));
};

/** Requests that go on after the imperative read badly when it is long. */
const LONG = 170;

/** An imperative without a final stop, made into a request in the manner of `persona`; `tail` are further sentences, with another request unless `isOnly`. */
export const requested = (imperative: string, persona: string, random: Rng, tail = '', isOnly = true): string => {
  // Nobody announces one thing and asks for two.
  const forms = mannerOf(persona).doing.filter((form) => isOnly || !/\bone\b/i.test(form));
  const short = imperative.length <= LONG && tail === '';
  const open = forms.filter((form) => short || /\{C?\}[.?]$/.test(form));
  const text = closed(filled(random.pick(open.length > 0 ? open : forms), imperative));
  return tail ? `${text} ${tail}` : text;
};

/** Words in -s that are one thing: `address`, `status`, `analysis`; and those that have no singular to ask for. */
const ONE = /(ss|us|is|news|species|series|gas|lens|bias|atlas|canvas)$/i;

/** Whether what is asked for are several: `the payment terms of customer A`, but not `the number of places of class B`. */
const isMany = (thing: string): boolean => {
  const head = (thing.split(/ (?:of|for|in|on|at|to|with|by|from|per) /)[0] as string).split(' ').at(-1) as string;
  return /^\p{Ll}{2,}s$/u.test(head) && !ONE.test(head);
};

/** A question's form for several things. */
const forMany = (form: string): string =>
  form
    .replace(/\bis it\b/, 'are they')
    .replace(/\bit is\b/, 'they are')
    .replace(/\b(look|find) it\b/, '$1 them')
    .replace(/\bis \{\}/, 'are {}')
    .replace(/\bexactly is \{\}/, 'exactly are {}')
    .replace(/\{\} is\b/, '{} are');

const askedAs = (form: string, thing: string): string =>
  closed(filled(isMany(thing) ? forMany(form) : form, thing), '?');

/** `the due date of invoice INV-1` made into a question. */
export const asked = (thing: string, persona: string, random: Rng): string => {
  const all = mannerOf(persona).asking;
  const forms = thing.length > 110 ? all.filter((form) => /\{C?\}[^{}]{0,9}$/.test(form)) : all;
  return askedAs(random.pick(forms), thing);
};

/** The same in nobody's manner. */
export const askedPlainly = (thing: string): string => askedAs('What is {}?', thing);
