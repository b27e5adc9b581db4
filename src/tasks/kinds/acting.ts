/** Something to do with one row, as part of a larger request: chosen, said of `it`, and made into a call. */
import type { Table } from '../../artifacts/table.js';
import type { Call } from '../../artifacts/task.js';
import type { Rng } from '../../kit/rng.js';
import type { Row } from '../../world/state/types.js';
import { splitArgs } from '../atomic/arguments.js';
import { accepts, wantedOf } from '../atomic/on-row.js';
import { IS_FIXED, PROSE } from '../atomic/texts.js';
import type { Chosen } from '../atomic/values.js';
import type { Ground } from '../ground/ground.js';
import { type NamedTool, type PlannedArg, surfaceArgs } from '../ground/plan.js';

export interface Acting {
  tool: NamedTool;
  keyArg: string;
  chosen: readonly Chosen[];
  isUpdate: boolean;
  /** With the subject in words, or of `it`, `them`. */
  say(subject: string): string;
  says: string;
}

/** `void it`, `write it off`, `change its due date to ...`: what a sentence makes of a thing that it has named before. */
export const ofPronoun = (imperative: string, pronoun: 'it' | 'them'): string => {
  const its = pronoun === 'it' ? 'its' : 'their';
  return imperative
    .replace(new RegExp(`^(\\w+) (off|in|out|up|down|on|back|over) ${pronoun}\\b`), `$1 ${pronoun} $2`)
    .replace(new RegExp(`\\b(?:the|a|an) ((?:[\\w’'-]+ ){0,3}[\\w’'-]+) of ${pronoun}\\b`, 'g'), `${its} $1`);
};

/** What is changed on a condition: a state, a day, somebody in charge, a note. Names, places and figures are not. */
const isDecided = (spec: Table, { name, refers }: Chosen): boolean => {
  const column = spec.cols[name];
  return (
    refers?.service.role === 'core' ||
    (column?.enum !== undefined && !IS_FIXED.test(name) && !/^(kind|unit|method)$/.test(name)) ||
    ['date', 'datetime', 'bool'].includes(column?.type ?? '') ||
    (refers === undefined && PROSE.test(name))
  );
};

/** Something that the tool may be asked to do with the row and that it accepts; `not` are columns that are spoken of already. */
export const actingOn = (
  ground: Ground,
  tool: NamedTool,
  row: Row,
  random: Rng,
  not: readonly string[],
): Acting | undefined => {
  const table = tool.tool.tool.table;
  const spec = tool.service.spec.tables[table] as Table;
  const { key: keyArg } = splitArgs(tool);
  const wanted = keyArg ? wantedOf(ground, tool, random) : undefined;
  const chosen = wanted?.choose(row);
  if (!keyArg || !wanted || !chosen || chosen.some(({ name }) => not.includes(name))) return undefined;
  const isUpdate = wanted.family === 'update';
  if (isUpdate && !chosen.every((one) => isDecided(spec, one))) return undefined;
  const key = row[spec.key.col] as string | number;
  if (!accepts(ground, tool, table, key, keyArg, chosen)) return undefined;
  // Said once: a second time would draw other words.
  const words = wanted.say('SUBJECT', chosen, {
    ...row,
    ...Object.fromEntries(chosen.map(({ name }) => [name, null])),
  });
  return {
    tool,
    keyArg,
    chosen,
    isUpdate,
    say: (subject) => {
      const said = words.replace('SUBJECT', () => subject);
      return subject === 'it' || subject === 'them' ? ofPronoun(said, subject) : said;
    },
    says: wanted.says,
  };
};

export const argsOn = ({ keyArg, chosen }: Acting, key: string | number): PlannedArg[] => [
  { name: keyArg, value: key, origin: { observed: true } },
  ...chosen.map(({ arg }) => arg),
];

export const callOn = (acting: Acting, key: string | number): Call => ({
  service: acting.tool.service.id,
  tool: acting.tool.name,
  args: surfaceArgs(acting.tool.service, acting.tool, argsOn(acting, key)),
});
