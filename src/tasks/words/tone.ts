/** The tone of a request: how somebody of a given manner asks for something, or asks something. */
import type { Persona } from '../../artifacts/disclosure.js';
import type { Rng } from '../../kit/rng.js';
import { capital, closed } from './grammar.js';
import { whenOf } from './happening.js';

/** What a manner says of how somebody talks. */
export type Voice = Pick<Persona, 'tone' | 'verbosity' | 'register' | 'patience'>;

const voice = (
  tone: Voice['tone'],
  verbosity: Voice['verbosity'],
  register: Voice['register'],
  patience: number,
): Voice => ({ tone, verbosity, register, patience });

/** `{}` is the imperative or the thing asked for, `{C}` the same with a capital. */
interface Manner {
  persona: string;
  voice: Voice;
  doing: readonly string[];
  asking: readonly string[];
}

const MANNERS: readonly Manner[] = [
  {
    persona: 'brief and friendly',
    voice: voice('friendly', 'terse', 'casual', 3),
    doing: ['Please {}.', '{C}, please.', 'Can you {}? Thanks!', 'Could you {}? Thank you.', '{C}. Thanks!'],
    asking: ['What is {}?', 'Can you tell me {}? Thanks!', 'I need {}, please.', 'Could you give me {}?'],
  },
  {
    persona: 'in a hurry',
    voice: voice('pressed', 'terse', 'neutral', 2),
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
    voice: voice('courteous', 'normal', 'formal', 4),
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
    voice: voice('friendly', 'wordy', 'casual', 5),
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
    voice: voice('plain', 'normal', 'neutral', 4),
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
    voice: voice('unsure', 'wordy', 'neutral', 4),
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
  {
    persona: 'dry, in as few words as possible',
    voice: voice('plain', 'terse', 'casual', 3),
    doing: ['{C}.', 'Please {}.', 'To do: {}.', 'Today: {}.'],
    asking: ['What is {}?', 'Needed: {}.', 'Please look up {}.'],
  },
  {
    persona: 'manager who delegates',
    voice: voice('plain', 'normal', 'neutral', 3),
    doing: [
      'I would like you to take care of something: {}.',
      'Please make sure to {}.',
      'I want you to {}.',
      'Take this over from me, please: {}.',
      'Before I leave for my next meeting: please {}.',
    ],
    asking: [
      'Before my next meeting I need to know {}.',
      'Let me have {}, please.',
      'Somebody will ask me for {}. Please find it for me.',
    ],
  },
  {
    persona: 'careful, writes in simple English',
    voice: voice('courteous', 'normal', 'neutral', 5),
    doing: [
      'Hello, please can you {}? Thank you very much.',
      'I have a request: please {}.',
      'It is necessary to {}. Can you do this, please?',
      'Please help me to {}.',
    ],
    asking: ['Hello, I want to know {}. Thank you very much.', 'I have a question: what is {}?', 'Please tell me {}.'],
  },
];

export const PERSONAS: readonly string[] = MANNERS.map(({ persona }) => persona);

const mannerOf = (persona: string): Manner =>
  MANNERS.find((manner) => manner.persona === persona) ?? (MANNERS[0] as Manner);

/** How somebody of a manner talks; one that is not known here talks plainly. */
export const voiceOf = (persona: string): Voice =>
  MANNERS.find((manner) => manner.persona === persona)?.voice ?? voice('plain', 'normal', 'neutral', 3);

const filled = (form: string, text: string): string => {
  const said = form.replace('{C}', capital(text)).replace('{}', text);
  return capital(said.replace(/([.?!]”)\./g, '$1'));
};

/** Requests that go on after the imperative read badly when it is long. */
const LONG = 170;

/** An imperative without a final stop, made into a request in the manner of `persona`; `tail` are further sentences, with another request unless `isOnly`. */
export const requested = (imperative: string, persona: string, random: Rng, tail = '', isOnly = true): string => {
  // A whole sentence is a request already: `If it is overdue, ...`.
  if (/^\p{Lu}/u.test(imperative)) return tail ? `${closed(imperative)} ${tail}` : closed(imperative);
  // Nobody announces one thing and asks for two.
  const forms = mannerOf(persona).doing.filter((form) => isOnly || !/\bone\b|: /i.test(form));
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
  (/^What (exactly )?is \{\}\?$/.test(form) ? whenOf(thing) : undefined) ??
  closed(filled(isMany(thing) ? forMany(form) : form, thing), '?');

/** `the due date of invoice INV-1` made into a question. */
export const asked = (thing: string, persona: string, random: Rng): string => {
  const all = mannerOf(persona).asking;
  const forms = thing.length > 110 ? all.filter((form) => /\{C?\}[^{}]{0,9}$/.test(form)) : all;
  return askedAs(random.pick(forms), thing);
};

/** The same in nobody's manner. */
export const askedPlainly = (thing: string): string => askedAs('What is {}?', thing);
