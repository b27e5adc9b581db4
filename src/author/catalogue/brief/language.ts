/** Which language a brief is written in. */
import { languages } from './data.js';
import { type BriefText, fold } from './text.js';
import { isEnglish, isForeign } from './widen.js';

export interface LanguageGuess {
  code: string;
  name: string;
  /** Share of the tokens that are frequent words of the language; 1 for a script. */
  share: number;
}

/** What a word of trade that English does not have says of the language, against a frequent one. */
const FOREIGN = 0.7;
/** A word of one letter is one of many languages. */
const LETTER = 0.5;
const ALONE = 0.3;
/** A word of English texts of trade; other languages borrow some of them. */
const TRADE = 0.25;
/** Share of a brief's letters from which a script tells its language, where others write most letters alike. */
const LEAST: Record<string, number> = { uk: 0.01, bg: 0.012, sr: 0.01, fa: 0.02, ur: 0.03, ja: 0.1 };

/** The likeliest language; `und` where no frequent word is found (short lists of nouns are taken as English by the caller). */
export const guessLanguage = (brief: BriefText): LanguageGuess => {
  const letters = [...brief.raw].filter((sign) => /\p{L}/u.test(sign));
  for (const [code, { name, script }] of Object.entries(languages())) {
    if (!script) continue;
    const set = new RegExp(script, 'u');
    const needed = LEAST[code] ?? 0.3;
    if (letters.length > 0 && letters.filter((sign) => set.test(sign)).length / letters.length > needed)
      return { code, name, share: 1 };
  }
  let best: LanguageGuess = { code: 'und', name: 'undetermined', share: 0 };
  for (const [code, { name, stop }] of Object.entries(languages())) {
    const words = new Set((stop ?? []).map(fold));
    let stops = 0;
    let foreign = 0;
    for (const { word } of brief.tokens)
      if (words.has(word)) stops += word.length === 1 ? LETTER : 1;
      else if (code === 'en' ? isEnglish(word) : isForeign(word, code)) foreign += code === 'en' ? TRADE : FOREIGN;
    // One word alone, which another language may have too, says little.
    const hits = stops < 1 && foreign < 2 * FOREIGN ? ALONE * (stops + foreign) : stops + foreign;
    const share = hits / Math.max(1, brief.tokens.length);
    if (share > best.share) best = { code, name, share };
  }
  return best;
};
