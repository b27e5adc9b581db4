/** What the words around a value do to it: deny it, offer it beside others, take it back. */
import type { Span } from './answer-text.js';

const DENIED_BEFORE =
  /(?:\bnot|n't|\bnever|\bneither|\bnor|\bexcept(?: for)?|\bother than|\brather than|\binstead of|\bexcluding|\bunlike)\s+(?:(?:the|a|an|be|as|in|actually|currently|equal to|invoice|order)\s+){0,2}["'(]*(?:(?:[A-Z]{3}|[€$£¥₹])\s?)?$/i;
const DENIED_AFTER =
  /^["')]*\s*(?:(?:is|was|are|would be)\s+(?:not\s+(?:the|it|correct|right|true)\b|wrong\b|incorrect\b|false\b)|(?:isn't|wasn't)\s+(?:the|it|correct|right|true)\b)/i;
const OFFERED_BEFORE = /\b(?:or|either)\s+(?:(?:the|a|an|possibly|maybe|perhaps)\s+)?["'(]*$/i;
const OFFERED_AFTER = /^["')]*\s*,?\s*or\s/i;
const TAKEN_BACK =
  /\b(?:scratch that|disregard (?:that|the above|my)|ignore (?:that|the above|my (?:previous|earlier))|that (?:is|was) (?:wrong|incorrect|not right|not correct)|that's (?:wrong|incorrect|not right|not correct)|i was wrong|i (?:made|guessed) (?:that|it) up)\b/i;

export const isDenied = (text: string, at: Span): boolean =>
  DENIED_BEFORE.test(text.slice(Math.max(0, at.start - 48), at.start)) ||
  DENIED_AFTER.test(text.slice(at.end, at.end + 48));

export const isOffered = (text: string, at: Span): boolean =>
  OFFERED_BEFORE.test(text.slice(Math.max(0, at.start - 32), at.start)) ||
  OFFERED_AFTER.test(text.slice(at.end, at.end + 16));

/** The words that take an answer back; undefined when it stands. */
export const takenBack = (text: string): string | undefined => TAKEN_BACK.exec(text)?.[0];

/** Why the mentions of the right value do not count; undefined when they do. */
export const objection = (text: string, mentions: readonly Span[], mayBeOffered = false): string | undefined => {
  const denied = mentions.find((mention) => isDenied(text, mention));
  if (denied) return `the answer denies "${text.slice(denied.start, denied.end)}"`;
  const offered = mayBeOffered ? undefined : mentions.find((mention) => isOffered(text, mention));
  if (offered) return `"${text.slice(offered.start, offered.end)}" is offered beside something else`;
  return undefined;
};
