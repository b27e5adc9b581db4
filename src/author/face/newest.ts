/**
 * Lists that come newest first: where the document says so of them ("with the most recent appearing first"), or has it as the default
 * of a sort or of a direction. Lists of which nothing is said come in the order of their keys.
 */
import type { Condition, Step, Value } from '../../artifacts/step.js';
import type { Table } from '../../artifacts/table.js';
import type { Tool } from '../../artifacts/tool.js';
import { snake } from '../../kit/words.js';
import { columnFor } from '../openapi/query.js';
import type { DocParam } from '../openapi/types.js';
import type { Subject } from './draft.js';

export interface Newest {
  /** Columns it may be sorted by, the best first: the first that all rows have counts. */
  cols: readonly string[];
  /** Downwards is the default of its direction, whatever it is sorted by. */
  isDown: boolean;
}

const NEWEST =
  /\b(most recent(ly)?\b.{0,60}\bfirst|newest\b.{0,30}\bfirst|latest\b.{0,20}\bfirst|newest to oldest|reverse[- ]chronological|(creat|date|time).{0,40}\bdesc(ending)?\b|descending\b.{0,40}\b(creat|date|time|chronolog))/i;
/** Speaks of what callers may ask for, or of another order. */
const CHOICE =
  /\b(if|when|unless|specify|specifying|use|using|to sort|optional(ly)?|oldest (\w+ )?first|ascending|either|can be|may be|you can|supports?)\b/i;
const BY = /\b(?:sorted|ordered|sort|order|sorts|orders) by ([^.,;(]{1,60})/i;
const IN_TIME = /creat|date|time|recen|newe|publi|post|modif|updat|chronolog|added/i;
const CHANGED = /updat|modif|chang/i;
const LONGEST = 4_000;

const plain = (text: string): string =>
  text
    .slice(0, LONGEST)
    .replace(/<[^>]{0,200}>/g, ' ')
    .replace(/[`*"']/g, ' ')
    .replace(/[ \t]+/g, ' ');

/** The sentence that says it. */
export const saysNewest = (text: string): string | undefined =>
  plain(text)
    .split(/(?<=[.!?])\s|\n/)
    .find((sentence) => {
      if (!NEWEST.test(sentence) || CHOICE.test(sentence)) return false;
      const by = BY.exec(sentence)?.[1];
      return by === undefined || IN_TIME.test(by);
    });

const isMoment = ({ entity }: Subject, col: string): boolean =>
  /^date(time)?$/.test(entity.columns.facts.get(col)?.column.type ?? '');

const CREATED = '*';
const TOUCHED = ['updated_at', 'date_modified', 'updated', 'modified_at', 'last_modified', 'modified', 'updated_on'];

const columnsIn = (subject: Subject, sentence: string): string[] => {
  const named = sentence
    .split(/[^\w.]+/)
    .filter((word) => /[_A-Z]|^(created|updated|modified)$/.test(word.slice(1)) || /^(created|updated)$/.test(word));
  const wanted = [...named.map(snake), ...(CHANGED.test(sentence) ? TOUCHED : []), CREATED];
  return wanted.flatMap((words) => columnFor(subject.entity, words) ?? []);
};

const DOWN = /^(d|desc|descend|descending|down|backward|new_to_old|newest)$/;

/** Whether a direction is downwards where the call says none. */
const isDownwards = ({ name, schema, description }: DocParam, { context: { schemas } }: Subject): boolean => {
  const { facts } = schemas.view(schema);
  const said = plain(`${description ?? ''} ${facts.get('description') ?? ''}`);
  // `This parameter is ignored unless you provide sort`: it says nothing of a call without.
  if (/ignored/i.test(said)) return false;
  const standard = facts.get('default');
  if (typeof standard === 'boolean') return /asc/.test(snake(name)) ? !standard : standard;
  if (typeof standard === 'string') return DOWN.test(snake(standard));
  return /(\bdefaults?( is| to)?|\botherwise)\s?[:,]?\s?desc/i.test(said);
};

/** What it is sorted by where the call does not say. */
const sortedBy = ({ schema }: DocParam, subject: Subject): { cols: string[]; isDown: boolean } => {
  const standard = subject.context.schemas.view(schema).facts.get('default');
  if (typeof standard !== 'string') return { cols: [], isDown: false };
  const bare = standard.replace(/^[-+]|[:_ ,.-]?(asc|desc|ascending|descending)$/gi, '');
  const col = columnFor(subject.entity, snake(bare));
  return { cols: col === undefined ? [] : [col], isDown: /^-|desc(ending)?$/i.test(standard) };
};

/** `sort` and `direction` as the list takes them. */
export const newestOf = (
  subject: Subject,
  { sort, direction }: { sort: DocParam | undefined; direction: DocParam | undefined },
): Newest | undefined => {
  if (direction && /reverse/.test(snake(direction.name))) return undefined;
  const { op } = subject.sighting;
  const by = sort ? sortedBy(sort, subject) : { cols: [], isDown: false };
  const isDown = direction !== undefined && isDownwards(direction, subject);
  const sentence = saysNewest(`${op.text ?? ''}\n${op.about ?? ''}`);
  const said = sentence === undefined ? [] : columnsIn(subject, sentence);
  const created = columnFor(subject.entity, CREATED);
  const turned = isDown || by.isDown ? [...by.cols, ...(created === undefined ? [] : [created])] : [];
  const cols = [...said, ...turned].filter((col) => by.cols.includes(col) || isMoment(subject, col));
  return cols.length > 0 ? { cols: [...new Set(cols)], isDown } : undefined;
};

/** The column that a list is sorted by downwards: one that is shown and that every row has. */
export const newestColumn = ({ cols }: Newest, table: Table): string | undefined =>
  cols.find((name) => {
    const column = table.cols[name];
    return column && !column.hidden && (column.auto === 'now' || column.auto === 'touch' || column.required === true);
  });

/** Arguments that name the row after or before which a page begins. */
export interface Marks {
  after?: string;
  before?: string;
}

const same = (value: Value | undefined, names: readonly string[]): boolean =>
  names.some((name) => value === `$args.${name}`);

/**
 * The list downwards by a column. Page marks that are keys bound the key no longer: what stands before the marked row in this order is
 * left out by its moment, and rows of the same moment are skipped. A mark that is gone begins at the start: who deletes the rows of
 * each page finds all of them.
 */
export const withNewest = (tool: Tool, table: Table, col: string, { after, before }: Marks): Tool => {
  const key = table.key.col;
  const names = [after, before].filter((name) => name !== undefined);
  const steps = (tool.steps ?? []).flatMap((step): Step[] => {
    if (!('find' in step)) return [step];
    const where = (step.find.where ?? []).filter(({ value }) => !same(value, names));
    const order = [{ col, desc: true }, { col: key }];
    const find = { ...step.find, order };
    if (names.length === 0) return [{ find }];
    const bounds: Condition[] = [];
    const ahead: Step[] = [];
    const mark = (name: string, as: string): void => {
      ahead.push({ get: { table: tool.table, where: { [key]: `$args.${name}` }, as } });
    };
    const count = (as: string, more: Condition[]): void => {
      const { text } = step.find;
      ahead.push({
        find: {
          table: tool.table,
          where: [...where, ...more],
          ...(text ? { text } : {}),
          limit: 1,
          as: `${as}_rows`,
          total: as,
        },
      });
    };
    const moment = (as: string): string => `${as} == null ? dyn(null) : dyn(${as}.${col})`;
    const at = (as: string): string => `${as} == null ? dyn(null) : dyn(${as}.${key})`;
    let offset: Value | undefined = step.find.offset;
    let limit: Value | undefined = step.find.limit;
    if (after !== undefined) {
      mark(after, 'after_row');
      count('after_same', [
        { col, op: 'eq', value: moment('after_row') },
        { col: key, op: 'lte', value: at('after_row') },
      ]);
      bounds.push({ col, op: 'lte', value: moment('after_row'), optional: true });
      offset = 'after_same';
    }
    if (before !== undefined) {
      mark(before, 'before_row');
      count('before_newer', [{ col, op: 'gt', value: moment('before_row') }]);
      count('before_same', [
        { col, op: 'eq', value: moment('before_row') },
        { col: key, op: 'lt', value: at('before_row') },
      ]);
      const asked = `(${String(step.find.limit ?? 100).replace(/^\$/, '')})`;
      ahead.push({ let: { before_count: 'before_newer + before_same', before_size: asked } });
      // The marked row stays in where there are more before the page: it tells that there are.
      const isLast = 'before_count <= before_size';
      bounds.push(
        { col, op: 'gte', value: moment('before_row'), optional: true },
        {
          col: key,
          op: 'ne',
          value: `before_row == null || !(${isLast}) ? dyn(null) : dyn(before_row.${key})`,
          optional: true,
        },
      );
      const start = `(before_row == null ? ${after === undefined ? '0' : 'after_same'} : (${isLast} ? 0 : before_count - before_size))`;
      offset = start;
      limit = `before_row != null && ${isLast} ? before_count : before_size`;
    }
    return [
      ...ahead,
      {
        find: {
          ...find,
          where: [...where, ...bounds],
          ...(offset === undefined ? {} : { offset }),
          ...(limit === undefined ? {} : { limit }),
        },
      },
    ];
  });
  const args = Object.fromEntries(
    Object.entries(tool.args).map(([name, arg]) => [
      name,
      names.includes(name) ? { ...arg, role: 'input' as const } : arg,
    ]),
  );
  return { ...tool, args, steps };
};
