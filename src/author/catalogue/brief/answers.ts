/** What becomes of each statement of a brief: a number of rows, a rule that holds, or `not answered`. Nothing is dropped in silence. */
import type { ServiceSpec } from '../../../artifacts/service.js';
import type { Evidence, Policy } from '../../../artifacts/world.js';
import { type Clause, clausesOf, contentWords } from './clauses.js';
import type { Counted, Counts } from './counts.js';
import { cues } from './data.js';
import { findPhrase } from './phrase.js';
import type { BriefText } from './text.js';

/** Words by which a statement asks for something. */
const ASKS =
  /\b(must|should|only|never|always|every|each|cannot|can ?not|can't|cant|may not|max|maximum|min|minimum|at most|at least|within|before|after|unless|until|except|if|when|need|needs|not|no|nobody|without|nothing|per|limit|half|daily|weekly|monthly|yearly|annual|muss|müssen|nur|nie|jede[rs]?|ohne|kein|keine|höchstens|mindestens|doit|doivent|seulement|jamais|chaque|sans|debe|deben|solo|nunca|cada|sin|máximo|deve|devem|só|sem|non|mai|moet|alleen|geen|elke|musi|tylko|bez)\b|%/iu;

/** What the world holds in words: its rules, its tools, its tables. */
interface Holding {
  where: string;
  text: string;
  words: Set<string>;
}

const holdingsOf = (specs: readonly ServiceSpec[], policies: readonly Policy[]): Holding[] => {
  const out: Holding[] = [];
  const add = (where: string, text: string): void => {
    out.push({ where, text, words: new Set(contentWords(text)) });
  };
  for (const { text } of policies) add('rule', text);
  for (const spec of specs) {
    for (const tool of Object.values(spec.tools)) {
      for (const step of tool.steps ?? [])
        if ('require' in step)
          for (const { message, error } of step.require)
            if (message && error !== 'invalid_state') add(`${spec.id}.${tool.id}`, message);
      if (tool.op === 'action') add(`${spec.id}.${tool.id}`, tool.description);
    }
    for (const [table, { cols, noun }] of Object.entries(spec.tables))
      add(`${spec.id}.${table}`, `${noun} ${Object.keys(cols).join(' ').replaceAll('_', ' ')}`);
  }
  return out;
};

const LEAST_SHARED = 2;
const LEAST_SHARE = 0.45;

const heldBy = (words: readonly string[], holdings: readonly Holding[]): Holding | undefined => {
  const own = [...new Set(words)].filter((word) => !/^\d/.test(word));
  let best: { holding: Holding; shared: number } | undefined;
  for (const holding of holdings) {
    const shared = own.filter((word) => holding.words.has(word)).length;
    if (shared > (best?.shared ?? 0)) best = { holding, shared };
  }
  return best && best.shared >= LEAST_SHARED && best.shared / Math.max(1, own.length) >= LEAST_SHARE
    ? best.holding
    : undefined;
};

const figures = (text: string): string[] => text.match(/\d+/g) ?? [];

/** Words of the brief that some decision about the world rests on. */
const usedWords = (evidence: readonly Evidence[]): Set<string> =>
  new Set(
    evidence
      .filter(({ kind }) => kind === 'words' || kind === 'refused')
      .flatMap(({ because, choice }) => contentWords(`${because} ${choice}`)),
  );

const LEAST_STEM = 4;

/** Whether a decision rests on the word, or on its beginning (`wypozycz` of wypozyczalnia). */
const isUsed = (word: string, used: ReadonlySet<string>): boolean => {
  for (let length = LEAST_STEM; length < word.length; length++) if (used.has(word.slice(0, length))) return true;
  return used.has(word);
};

let wordsOfCues: Set<string> | undefined;
/** Every word by which a service is asked for. */
const cueWords = (): Set<string> => {
  wordsOfCues ??= new Set(
    Object.values(cues().functions).flatMap(({ strong, weak, refuse }) =>
      [...strong, ...weak, ...refuse].flatMap(contentWords),
    ),
  );
  return wordsOfCues;
};

/** A denied word that the text uses elsewhere as if it were there. */
const contradictions = (brief: BriefText): Evidence[] => {
  const known = cueWords();
  const out: Evidence[] = [];
  const seen = new Set<string>();
  brief.tokens.forEach((token, i) => {
    const { one, denied } = token;
    if (denied !== 'refused' || one.length < 4 || seen.has(one)) return;
    const other = brief.tokens.findIndex(
      (each, k) => each.one === one && k !== i && !each.denied && each.origin === undefined,
    );
    if (other < 0 || !known.has(one)) return;
    seen.add(one);
    out.push({
      choice: `the text contradicts itself about ${token.word}`,
      because: `it says both that there is no ${token.word} and that there is; the refusal was kept for whole services, the rest was read as it stands`,
      kind: 'note',
    });
  });
  return out;
};

const MOST_SIZES = 2;
const PEOPLE =
  /(\d[\d., ]*)\s*(?:\w+ )?(employees?|staff|people|workers|mitarbeiter\w*|empleados|funcionarios|personnes|persone)\b/gu;

const twoSizes = (brief: BriefText): Evidence[] => {
  const said = [...brief.folded.matchAll(PEOPLE)].map(
    ([whole, digits]) => [whole.trim(), Number((digits ?? '').replace(/[., ]/g, ''))] as const,
  );
  if (new Set(said.map(([, n]) => n)).size < MOST_SIZES) return [];
  return [
    {
      choice: 'the text gives more than one number of people',
      because: `${said
        .map(([text]) => `"${text}"`)
        .slice(0, 4)
        .join(', ')}; the first total was taken`,
      kind: 'note',
    },
  ];
};

const rowsEvidence = (counted: readonly Counted[]): Evidence[] =>
  counted.map(({ service, table, wanted, rows, says }) => ({
    choice: `${rows} rows of ${service}.${table}`,
    because: `${says.map((text) => `"${text}"`).join(', ')}${
      rows < wanted
        ? `; ${wanted} were scaled down`
        : rows > wanted
          ? `; more than ${wanted}, so that every tool has something to act on`
          : ''
    }`,
    kind: 'words' as const,
  }));

const MOST_LINES = 40;
/** Share of a statement's words that no decision rests on, from which it is accounted for: of one that asks, of one that tells. */
const ASKED_LEFT = 0.25;
const SAID_LEFT = 0.4;

/** Evidence for every statement that asks for something, in the order of the text. */
export const answersFor = (
  brief: BriefText,
  evidence: readonly Evidence[],
  { counted, uncounted }: Counts,
  specs: readonly ServiceSpec[],
  policies: readonly Policy[],
): Evidence[] => {
  const holdings = holdingsOf(specs, policies);
  const used = usedWords(evidence);
  const rows = rowsEvidence(counted);
  const countedWords = new Set(counted.flatMap(({ says }) => says.flatMap(contentWords)));
  const clauses = clausesOf(brief.raw);
  const orders = cues().orders.filter((order) => findPhrase(brief, order).length > 0);
  const answer = ({ text, words }: Clause): Evidence[] => {
    const left = words.filter((word) => !isUsed(word, used) && !countedWords.has(word));
    const asks = ASKS.test(text.replace(/[\d.,]+/g, ' ')) || left.some((word) => /^\d/.test(word));
    if (left.length === 0 || left.length / words.length < (asks ? ASKED_LEFT : SAID_LEFT)) return [];
    if (orders.some((order) => contentWords(order).every((word) => words.includes(word)))) return [];
    const held = heldBy(words, holdings);
    const unheld = held ? figures(text).filter((figure) => !held.text.includes(figure)) : [];
    if (held && unheld.length === 0)
      return [{ choice: `held: "${text}"`, because: `${held.where}: ${held.text.slice(0, 140)}`, kind: 'note' }];
    if (held)
      return [
        {
          choice: `partly held: "${text}"`,
          because: `${held.where}: ${held.text.slice(0, 120)}; not the figure ${unheld.join(', ')}`,
          kind: 'note',
        },
      ];
    return [
      {
        choice: `not answered: "${text}"`,
        because:
          'no table, rule or figure of this world holds it; put it into a rule of your own, or leave it to the text',
        kind: 'note',
      },
    ];
  };
  const missed = uncounted.map(
    (text): Evidence => ({
      choice: `not answered: "${text}"`,
      because: 'no table of this world holds such places; the number stays in the text',
      kind: 'note',
    }),
  );
  return [
    ...twoSizes(brief),
    ...contradictions(brief),
    ...rows,
    ...missed,
    ...clauses.flatMap(answer).slice(0, MOST_LINES),
  ];
};
