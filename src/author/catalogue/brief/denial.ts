/** What a brief says it has not or does not want: `no payroll`, `we do not handle claims`, `sans paie`. */
import type { BriefText, Token } from './text.js';

/** Words that refuse what follows them, where they stand before a noun. */
const REFUSES = new Set(
  'no nothing without skip exclude excluding kein keine keinen keinerlei ohne sans sin sem senza geen zonder bez utan uden uten ilman tanpa nelkul без'.split(
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
/** Before `no` where it refuses: `we have no payroll`, `bakery, no cafe`. Elsewhere it makes a rule: `a late group gets no loan`. */
const BEFORE_NO = new Set(
  'we have has is are there with want wants need needs do do please and but offer offers still also or so our run it i say said absolutely really means mean definitely'.split(
    ' ',
  ),
);
/** `without`, in every language of REFUSES: with one of RULES in its sentence it states a rule, and what follows is wanted. */
const WITHOUT = new Set('without ohne sans sin sem senza zonder bez utan uden uten ilman tanpa nelkul без'.split(' '));
const RULES = new Set(
  'nobody nothing never no not none cannot cant can may must nic nichts niemand niemals kein keine nie nada nadie ningun ninguna rien personne aucun aucune ne nikt niets niemand geen niente nessuno nessuna ingen inget ikke ingenting ni nao ninguem nenhum nenhuma tidak boleh neni nesmi nikdo senki semmi nem никто ничего нельзя nu nimeni'.split(
    ' ',
  ),
);
/** Said after what it denies: `trucks are not ours`, `flowers also not us`, `cleaning is outsourced`. */
const AFTERWARDS = [
  ['not', 'ours'],
  ['not', 'us'],
  ['not', 'our'],
  ['not', 'needed'],
  ['not', 'wanted'],
  ['not', 'required'],
  ['not', 'included'],
  ['outsourced'],
  ['leave', 'that'],
  ['leave', 'it', 'out'],
  ['left', 'out'],
  ['stays', 'outside'],
];
const REACH_BACK = 5;
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
  const back = (before: number): void => {
    for (let i = before; i > Math.max(-1, before - REACH_BACK); i--) {
      const token = tokens[i] as Token;
      token.denied = 'refused';
      if (token.start || token.pause) return;
    }
  };
  const makesRule = (at: number): boolean => {
    let from = at;
    while (from > 0 && !tokens[from]?.start) from -= 1;
    for (let i = from; i < tokens.length && (i === from || !tokens[i]?.start); i++)
      if (i !== at && RULES.has(tokens[i]?.word ?? '')) return true;
    return false;
  };
  const standsFirst = (at: number): boolean => {
    const { start, pause } = tokens[at] as Token;
    return start || pause === true || BEFORE_NO.has(tokens[at - 1]?.word ?? '');
  };
  tokens.forEach(({ word, start, pause }, i) => {
    if (!start && !pause && AFTERWARDS.some((words) => words.every((each, k) => tokens[i + k]?.word === each)))
      back(i - 1);
    const next = tokens[i + 1];
    if (!next || next.start || next.pause || IDIOMS.has(next.word)) return;
    if (WITHOUT.has(word) && makesRule(i)) return;
    if (word === 'no' && language === 'en' && !standsFirst(i)) reach(i + 1, 'denied');
    else if (REFUSES.has(word) && !(word === 'no' && NOT_NO.has(language))) reach(i + 1, 'refused');
    else if (word === 'no' && NOT_NO.has(language)) return;
    else if (DENIED_VERB.has(word) || (word === 'not' && /^(do|does|did|will)$/.test(tokens[i - 1]?.word ?? '')))
      reach(i + 1, OFFERS.has(next.word) ? 'refused' : 'denied');
    else if (word === 'pas' && /^(de|d)$/.test(next.word)) reach(i + 2, 'refused');
    else if (DENIES.has(word)) reach(i + 1, 'denied');
  });
};
