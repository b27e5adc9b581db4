/** What an agent's reply without a tool call is: a question, and after what, or the end of its stage. */
import type { Fact, Unknown } from '../../artifacts/disclosure.js';

export interface Heard {
  kind: 'final' | 'question' | 'confirmation';
  /** Facts it asks for, by id. */
  facts: string[];
  /** It asks for something that the user cannot say. */
  asksUnknown: boolean;
  /** It asks for whatever there is to know. */
  isGeneral: boolean;
}

const FINAL: Heard = { kind: 'final', facts: [], asksUnknown: false, isGeneral: false };

/** Offers of more help end a reply; they are no questions about the request. */
const COURTESY =
  /\b(anything else|something else|any ?(?:thing)? (?:more|further)|any (?:other|further|additional)|further (?:help|assistance|questions)|else (?:i|we) can|happy to help|feel free|need (?:any|some|more) help|let me know if|(?:would you like|do you want) me to (?:also|additionally)|reach out)\b/i;

const REQUESTS =
  /\b(?:please|kindly|could you|can you|would you|you need to|you to)\s+(?:please\s+|also\s+)?(?:provide|specify|clarify|tell|confirm|give|share|state|indicate|choose|name|let (?:me|us) know|send (?:me|us) the)\b|\b(?:i|we)(?:'ll| will| would| still| also)* (?:need|require)\b.{0,40}\b(?:from you|to know|details|information|following|clarif)|\blet me know (?:which|what|who|when|how|the)\b|^(?:which|what|who|when|how much|how many)\b.{0,120}$/i;

const CONFIRMS =
  /\b(?:shall|should|may|can|could) (?:i|we)\b|\b(?:do|would) you (?:want|like|prefer) (?:me|us)\b|\bis (?:that|this|it|everything) (?:ok|okay|correct|right|fine|all right)\b|\bplease confirm\b|\bconfirm (?:that|before|if|whether)\b|\b(?:proceed|go ahead|continue)\s*\?/i;

const GENERAL =
  /\bdetails?\b|\binformation\b|\bclarif|\bspecif|\bcontext\b|\belaborate\b|\bmore about\b|\bwhat (?:exactly|precisely|else)\b|\bwhich ones?\b|\bwhat (?:should|shall|do|would|can) (?:i|you|we)\b|\bwhat (?:is|are) (?:the )?(?:missing|needed|required)\b|\beverything\b|\bwhat do you (?:need|want|mean)\b/i;

/** Text that is quoted, or code, asks nothing. */
const unquoted = (text: string): string =>
  text.replace(/```[\s\S]*?```/g, ' ').replace(/“[^“”]*”|"[^"\n]*"|`[^`\n]*`/g, ' x ');

const sentencesOf = (text: string): string[] =>
  text
    .split(/(?<=[.?!:])\s+|\n+/)
    .map((sentence) => sentence.trim())
    .filter(Boolean);

/** The sentences that ask, each with the list that follows it. */
const questionsIn = (text: string): string[] => {
  const out: string[] = [];
  let isListing = false;
  for (const sentence of sentencesOf(unquoted(text))) {
    const isItem = /^(?:[-*•]|\d+[.)])\s*/.test(sentence);
    const asks = (sentence.includes('?') || REQUESTS.test(sentence)) && !COURTESY.test(sentence);
    if (asks || (isItem && isListing)) out.push(sentence);
    isListing = asks ? true : isItem && isListing;
  }
  return out;
};

const SMALL = new Set(['the', 'a', 'an', 'of', 'in', 'for', 'to', 'is', 'new']);

/** Words in their shortest form, so that `customers` asks for a customer. */
const stemsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .map((word) => (word.length > 3 ? word.replace(/(?<=[^s])s$/, '').replace(/ie$/, 'y') : word));

/** Whether the question holds all words of one of the phrases, in any order. */
const asksFor = (stems: ReadonlySet<string>, phrases: readonly string[]): boolean =>
  phrases.some((phrase) => {
    const words = stemsOf(phrase).filter((word) => !SMALL.has(word));
    return words.length > 0 && words.every((word) => stems.has(word));
  });

/** Reads a reply against what may be asked for now. */
export const hear = (reply: string, facts: readonly Fact[], unknown: readonly Unknown[]): Heard => {
  const questions = questionsIn(reply);
  if (questions.length === 0) return FINAL;
  const text = questions.join(' ');
  const stems = new Set(stemsOf(text));
  const asked = facts.filter((fact) => asksFor(stems, fact.asked)).map(({ id }) => id);
  const isConfirmation = questions.every((question) => CONFIRMS.test(question));
  return {
    kind: isConfirmation ? 'confirmation' : 'question',
    facts: asked,
    asksUnknown: unknown.some((one) => asksFor(stems, one.asked)),
    isGeneral: GENERAL.test(text),
  };
};
