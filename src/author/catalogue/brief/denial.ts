/** What a brief says it has not or does not want: `no payroll`, `we do not handle claims`, `sans paie`. */
import type { BriefText, Token } from './text.js';

/** Words that refuse what follows them, where they stand before a noun. */
const REFUSES = new Set(
  'no without skip exclude excluding kein keine keinen keinerlei ohne sans sin sem senza geen zonder bez utan uden uten ilman tanpa nelkul без'.split(
    ' ',
  ),
);
/** Words that only deny. */
const DENIES = new Set('not never nie nicht pas non nao nunca jamais tidak bukan ikke inte ei nem degil не'.split(' '));
/** `dont handle`, `do not offer`: with one of these verbs a denial is a refusal. */
const OFFERS = new Set('want need do have use offer handle provide run include deal keep take'.split(' '));
const DENIED_VERB = new Set(['dont', 'doesnt', 'wont']);
/** `no-show`, `no longer than`, `not only`: not a denial of what follows. */
const IDIOMS = new Set('show shows matter longer later only one more less fewer other idea problem sooner'.split(' '));
const CONTRAST = new Set(
  'but only aber sondern mais pero mas ma maar except just because so that which who and'.split(' '),
);
const REACH = 4;
/** `no` is a word of place or of another meaning in these languages. */
const NOT_NO = new Set(['pt']);

/** Marks the tokens that a denial reaches: up to four words on, within the sentence and before the next comma. */
export const markDenials = (brief: BriefText, language: string): void => {
  const { tokens } = brief;
  const reach = (from: number, how: NonNullable<Token['denied']>): void => {
    for (let i = from; i < Math.min(tokens.length, from + REACH); i++) {
      const token = tokens[i] as Token;
      if (token.start || (token.pause && i > from) || CONTRAST.has(token.word)) return;
      token.denied = how;
    }
  };
  tokens.forEach(({ word }, i) => {
    const next = tokens[i + 1];
    if (!next || next.start || next.pause || IDIOMS.has(next.word)) return;
    if (REFUSES.has(word) && !(word === 'no' && NOT_NO.has(language))) reach(i + 1, 'refused');
    else if (word === 'no' && NOT_NO.has(language)) return;
    else if (DENIED_VERB.has(word) || (word === 'not' && /^(do|does|did|will)$/.test(tokens[i - 1]?.word ?? '')))
      reach(i + 1, OFFERS.has(next.word) ? 'refused' : 'denied');
    else if (word === 'pas' && /^(de|d)$/.test(next.word)) reach(i + 2, 'refused');
    else if (DENIES.has(word)) reach(i + 1, 'denied');
  });
};
