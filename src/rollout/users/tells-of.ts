/** Turns of phrase that give a simulated user's mistake away; each answers with the reason, or with nothing. */
import { leadsTo } from '../../tasks/disclosure/holds.js';
import type { Said } from './rules.js';

const FAREWELL =
  /\b(?:good ?bye|bye(?: now)?|never ?mind|forget (?:it|about it)|(?:that(?:'s| is| will be|'ll be)|that) all(?: for (?:now|today))?|no longer need(?:ed)?|do(?:n't| not) (?:need|want) (?:it|this|that|anything|any more|your help)|let(?:'s| us) (?:stop|leave it)|i(?:'m| am) (?:done|leaving|all set)|we(?:'re| are) done|nothing (?:else|more) (?:to do|for you|from you)|cancel (?:my|the|this) request)\b/i;

/** Whether the message takes its leave instead of asking or telling. */
export const isLeaving = (text: string, sign: string, planned: string): boolean =>
  text.includes(sign) || (text.length < 400 && FAREWELL.test(text) && !FAREWELL.test(planned));

const ASSISTANT =
  /\b(?:as an? (?:ai|assistant|language model)|i(?:'m| am) (?:an? |your )?(?:ai|virtual|language model|digital)?\s?assistant|language model|how (?:can|may) i (?:help|assist)|i(?:'d| would) be (?:happy|glad) to (?:help|assist)|what can i do for you|(?:here(?:'s| is)|this is) (?:the|a|your) (?:rewritten|revised|next) message|(?:rewritten|revised) message)\b/i;

export const speaksAsAssistant = (text: string): string | undefined => {
  const [words] = ASSISTANT.exec(text) ?? [];
  return words === undefined ? undefined : `it speaks as the assistant does, “${words}”`;
};

const REFUSING =
  /\b(?:(?:i )?(?:do not|don't|can(?:not|'t|not)|could not|couldn't) (?:know|remember|recall|say|tell|share|give)|no idea|not sure|(?:i )?(?:would|'d) rather not|won't (?:say|tell|share)|prefer not to|none of your business|i refuse|not (?:allowed|able|willing) to)\b/i;

/** Words that refuse where something was to be told. */
export const isRefusing = (text: string, planned: string): string | undefined => {
  const [words] = REFUSING.exec(text) ?? [];
  return words === undefined || REFUSING.test(planned) ? undefined : `it refuses to say, “${words}”`;
};

const DENYING =
  /(?:\bnot|n't|\bnever|\bexcept(?: for)?|\binstead of|\brather than|\bother than|\banything but)\s+(?:\S+\s+){0,3}$/i;

/** A fact that is said and denied: `not for Brandt`. */
export const deniesIt = (text: string, planned: string, must: readonly string[]): string | undefined => {
  const isDenied = (lead: string): boolean => DENYING.test(lead);
  for (const words of must)
    if (leadsTo(text, words).some(isDenied) && !leadsTo(planned, words).some(isDenied)) return `it denies “${words}”`;
  return undefined;
};

const NO = /^\W*(?:no\b(?! (?:problem|worries|rush|hurry))|nope|do(?:n't| not)\b|stop\b|wait\b|hold on|cancel)/i;

/** A no where the plan is a yes. */
export const takesItBack = (text: string, { act, text: planned }: Said): string | undefined =>
  act !== 'does_not_know' && NO.test(text) && !NO.test(planned) ? 'it says no to what is wanted' : undefined;

const MORE =
  /\b(?:also|too|as well|in addition|on top of that|while you(?:'re| are) at it|and another|one more thing|plus)\b/i;
const DOING =
  /\b(?:please|can you|could you|would you|i (?:also )?(?:want|need)(?: you)? to|and then|then|also|and)\s+(?:please\s+|also\s+)*(delete|remove|cancel|approve|reject|refund|archive|close|reopen|create|add|send|email|e-mail|call|book|order|pay|transfer|move|assign|change|update|raise|lower|double|void|export|notify|remind|check|look up|find|list|show|calculate|schedule|hire|fire)\b/i;

const wordsIn = (text: string): string[] => text.toLowerCase().match(/\p{L}{4,}/gu) ?? [];

/** Under this share of known words a further request is about something else. */
const LEAST_KNOWN = 0.5;

/** Something else is asked for, beyond what is wanted. */
export const asksForMore = (text: string, wanted: string): string | undefined => {
  const known = wanted.toLowerCase();
  const words = new Set(wordsIn(known));
  for (const sentence of text.split(/(?<=[.!?])\s+|\n+/)) {
    if (!MORE.test(sentence) || known.includes(sentence.toLowerCase().trim())) continue;
    const verb = DOING.exec(sentence)?.[1];
    const own = wordsIn(sentence);
    const kept = own.filter((word) => words.has(word)).length;
    if (verb !== undefined && kept < own.length * LEAST_KNOWN) return `it also asks to ${verb.toLowerCase()} something`;
  }
  return undefined;
};
