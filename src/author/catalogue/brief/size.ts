/** How many people work there, as far as a brief says. */
import type { BriefText } from './text.js';

const STAFF =
  'employees|employee|staff|people|ppl|persons|workers|crew|team members|colleagues|mitarbeitende|mitarbeiter\\w*|beschaftigte|angestellte|leute|collaborateurs|employes|salaries|personnes|empleados|trabajadores|personas|funcionarios|colaboradores|catadores|pessoas|dipendenti|addetti|persone|medewerkers|mensen|pracownik\\w*|osob|anstallda|ansatte|medarbejdere|tyontekijaa';
const PROFESSION =
  'guards|riders|drivers|therapists|instructors|nurses|doctors|vets|technicians|consultants|engineers|teachers|cooks|volunteers|growers|agents|lawyers|developers|operators';
const NUMBER = '(\\d{1,3}(?:[ .,]\\d{3})+|\\d{1,6})';

export interface SizeGuess {
  employees: number;
  says: string;
}

const numberOf = (text: string): number => Number(text.replace(/[ .,]/g, ''));

const first = (text: string, patterns: string[]): SizeGuess | undefined => {
  for (const pattern of patterns) {
    const match = new RegExp(pattern, 'u').exec(text);
    const [whole, digits] = match ?? [];
    const employees = numberOf(digits ?? '');
    if (whole && employees > 0 && employees <= 500_000) return { employees, says: whole.trim() };
  }
  return undefined;
};

const PEOPLE = new Set(
  'employee staff people person worker technician driver nurse doctor teacher instructor educator guard carer engineer translator lawyer cook developer artist agent vet midwife pilot trainer cleaner therapist rescuer'.split(
    ' ',
  ),
);

/** Not on the payroll. */
const OUTSIDE = /^(frei\w*|freelance\w*|external|extern\w*|independ\w*|self|contract)$/;

/** `22 tecnicos`, `12 Erzieherinnen`: a number before a word that stands for people in English. */
const translatedSize = (brief: BriefText): SizeGuess | undefined => {
  for (const [i, { word }] of brief.tokens.entries()) {
    if (!/^\d{1,6}$/.test(word)) continue;
    for (const next of brief.tokens.slice(i + 1, i + 3)) {
      if (next.start || next.pause || OUTSIDE.test(next.word)) break;
      const english = brief.tokens
        .filter(({ origin }) => origin !== undefined && brief.tokens[origin] === next)
        .map(({ one }) => one);
      if ([next.one, ...(next.alts ?? []), ...english].some((each) => PEOPLE.has(each)))
        return { employees: Math.max(2, Number(word)), says: `${word} ${next.word}` };
    }
  }
  return undefined;
};

/** The head count that the text states, or undefined. Totals win over the number of one profession. */
export const guessSize = (brief: BriefText): SizeGuess | undefined =>
  first(brief.folded, [
    `\\bwe employ ${NUMBER}`,
    `従業員(?:は|数)?\\s*${NUMBER}\\s*名`,
    `${NUMBER}\\s+(?:full[- ]time |paid |mostly |permanent )*(?:${STAFF})\\b`,
    `\\b(?:crew|team|staff) of ${NUMBER}\\b`,
    `\\bwe(?:re| are) ${NUMBER}\\b`,
    `${NUMBER}\\s+(?:\\w+ ){0,1}(?:${PROFESSION})\\b`,
  ]) ?? translatedSize(brief);
