/**
 * Things there is one of for each row (`/ships/{id}/cooldown`, `/users/{id}/settings`) and that no call makes: a row has its own as soon
 * as it is there. Where the document means that they may be absent, none is made.
 */
import type { Step, Value } from '../../artifacts/step.js';
import type { Table } from '../../artifacts/table.js';
import type { Write } from '../../artifacts/tool.js';
import { isNode, type Node } from '../../document/node.js';
import type { ParsedDocument } from '../../document/parse.js';
import { type Refs, refsOf } from '../../document/refs.js';
import { singular, wordsOf } from '../../kit/words.js';
import type { Entity } from '../openapi/entities.js';
import { startingValue } from '../openapi/settle.js';
import type { Sighting } from '../openapi/sightings.js';
import type { FaceDraft } from './draft.js';

const NOT_FOUND = 404;

type Tables = Readonly<Record<string, Table>>;

/** What an operation answers with, as the document has it under a status. */
const responseOf = (root: Node, refs: () => Refs, { op }: Sighting, status: number): Node | undefined => {
  const paths = isNode(root.paths) ? root.paths : {};
  const operation = refs().resolve(paths[op.path]).node[op.method];
  const responses = isNode(operation) && isNode(operation.responses) ? operation.responses : {};
  return responses[status] === undefined ? undefined : refs().resolve(responses[status]).node;
};

const speaksOf = (text: string, noun: string): boolean => {
  const last = singular(wordsOf(noun).at(-1) ?? '');
  return last !== '' && wordsOf(text).some((word) => singular(word) === last);
};

/** Whether there may be none: something makes it or takes it away, or it is not found until it is written. */
const mayBeAbsent = ({ resource }: Entity, root: Node, refs: () => Refs): boolean => {
  const { sightings, owner } = resource;
  const makes = ({ op, kind, renews }: Sighting): boolean =>
    kind === 'create' || kind === 'delete' || (op.method === 'post' && !renews);
  if (sightings.some(makes)) return true;
  const puts = sightings.filter(({ op }) => op.method === 'put');
  if (puts.some((put) => responseOf(root, refs, put, 201) !== undefined)) return true;
  return (
    puts.length > 0 &&
    sightings.some((get) => {
      if (get.kind !== 'get' || !get.op.failures.includes(NOT_FOUND)) return false;
      if (!puts.every(({ op }) => op.failures.includes(NOT_FOUND))) return true;
      // Where writing it is not found either, it is the row above that is missing, unless the words say otherwise.
      const said = String(responseOf(root, refs, get, NOT_FOUND)?.description ?? '');
      return speaksOf(said, get.noun) && !(owner !== undefined && speaksOf(said, owner.noun));
    })
  );
};

/** Tables of the parts that every row of another table has, by that table. */
export type Parts = ReadonlyMap<string, readonly string[]>;

export const partsOf = (tables: Tables, entities: readonly Entity[], { root }: ParsedDocument): Parts => {
  let known: Refs | undefined;
  const refs = (): Refs => {
    known ??= refsOf(root);
    return known;
  };
  const out = new Map<string, string[]>();
  for (const entity of entities) {
    const { name, resource } = entity;
    const table = tables[name];
    const owner = table?.cols[table.key.col]?.fk;
    if (resource.single !== 'part' || owner === undefined || owner === name) continue;
    if (!resource.sightings.some(({ kind }) => kind === 'get') || mayBeAbsent(entity, root, refs)) continue;
    out.set(owner, [...(out.get(owner) ?? []), name]);
  }
  return out;
};

/** What begins as something by itself; the rest of a part that was not written yet is empty. */
const begun = ({ cols, key }: Table): void => {
  for (const [name, column] of Object.entries(cols)) {
    if (name === key.col || !column.required || column.auto || column.default !== undefined || column.fk) continue;
    const start = startingValue(name, column);
    if (start !== undefined) column.default = start;
  }
};

class Insertion {
  readonly made = new Set<string>();
  #names = 0;

  constructor(
    readonly tables: Tables,
    readonly parts: Parts,
  ) {}

  after(steps: readonly Step[]): Step[] {
    return steps.flatMap((step): Step[] => {
      if ('if' in step) return [{ if: { ...step.if, do: this.after(step.if.do) } }];
      if ('each' in step) return [{ each: { ...step.each, do: this.after(step.each.do) } }];
      return 'insert' in step ? this.#withOwn(step) : [step];
    });
  }

  #withOwn(step: Extract<Step, { insert: unknown }>): Step[] {
    const { table } = step.insert;
    const own = this.parts.get(table);
    if (!own) return [step];
    const as = step.insert.as ?? `fresh_${++this.#names}`;
    const key: Value = `$${as}.${this.tables[table]?.key.col}`;
    const inserts = own.flatMap((part): Step[] => {
      this.made.add(part);
      return this.#withOwn({ insert: { table: part, set: { [this.tables[part]?.key.col as string]: key } } });
    });
    return [{ insert: { ...step.insert, as } }, ...inserts];
  }
}

/** The drafts, their new rows with all that rows of their table have. Changes the tables of parts in place. */
export const withParts = (tables: Tables, drafts: readonly FaceDraft[], parts: Parts): FaceDraft[] => {
  if (parts.size === 0) return [...drafts];
  for (const part of [...parts.values()].flat()) begun(tables[part] as Table);
  return drafts.map((draft) => {
    const { tool } = draft;
    const insertion = new Insertion(tables, parts);
    const steps = tool.steps && insertion.after(tool.steps);
    if (!steps || insertion.made.size === 0) return draft;
    const also = [...insertion.made].map((table): Write => ({ table, insert: true }));
    return { ...draft, tool: { ...tool, steps, writes: [...tool.writes, ...also] } };
  });
};
