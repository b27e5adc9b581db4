/** Links between rows, as HTTP has them: listed, looked for, added, replaced, taken out and cleared, one or many in a call. */
import type { Step, Value } from '../../artifacts/step.js';
import type { Arg, Returns, Write } from '../../artifacts/tool.js';
import { snake } from '../../kit/words.js';
import { namesRow } from '../openapi/linking.js';
import { type Membership, OWNER, TARGET } from '../openapi/memberships.js';
import { isArray, isObject } from '../openapi/unwrap.js';
import { manyRows, oneRow, type Shown } from './answers.js';
import { type Drafted, describedParam, draftOf, paramType, type Subject } from './draft.js';
import { keyFrom } from './fit.js';
import { addInput, type Inputs, noInputs, type Origin } from './inputs.js';
import { namingColumn } from './naming.js';
import { NO_ROW } from './rows.js';
import { scopeOf } from './scope.js';

const MOST_LISTED = 1_000;

/** Places in the body that hold what names the other rows: the body itself, or a property of it. */
const placesOf = ({ noun, target }: Membership, { sighting: { op }, context: { schemas } }: Subject): Origin[] => {
  const view = op.body === undefined ? undefined : schemas.view(op.body.schema);
  if (!view) return [];
  const nouns = [noun, target.resource.noun].flatMap((word) => [word, word.split('_').at(-1) as string]);
  const named = [...view.properties].filter(([name]) => namesRow(name, nouns)).map(([name]) => name);
  const [only] = view.properties.size === 1 ? [...view.properties.keys()] : [];
  const names = named.length > 0 ? named : only === undefined ? [] : [only];
  const whole: Origin[] = isArray(view) || (view.types.has('array') && !isObject(view)) ? [{ in: 'body', at: [] }] : [];
  return [...names.slice(0, 1).map((name): Origin => ({ in: 'body', at: [name] })), ...whole];
};

/** Keys in a JSON value: a text or number, an object with one, or a list of these. */
const keysQuery = (keyCol: string, field: string, isWhole: boolean): string => {
  const inside = [field, keyCol, 'id', 'name'].filter(
    (name, at, all) => !/["'\\]/.test(name) && all.indexOf(name) === at,
  );
  const parts = inside.map((name) => `json_extract(value, '$."${name}"')`).join(', ');
  // A body that is an object has its list in a property, which is looked at by itself.
  const rows = isWhole
    ? `(SELECT ? AS "g"), json_each(CASE json_type("g") WHEN 'array' THEN "g" ELSE '[]' END)`
    : 'json_each(?)';
  return `SELECT CASE type WHEN 'object' THEN coalesce(${parts}, NULL) ELSE value END AS "key_named" FROM ${rows}`;
};

type Verb = 'list' | 'check' | 'add' | 'set' | 'remove' | 'clear';

const verbOf = ({ kind, keyParam, op }: Subject['sighting']): Verb => {
  if (kind === 'list' || kind === 'search') return 'list';
  if (kind === 'get') return 'check';
  if (kind === 'delete') return keyParam !== undefined || op.body !== undefined ? 'remove' : 'clear';
  return op.method === 'put' && keyParam === undefined ? 'set' : 'add';
};

export const memberDraft = (membership: Membership, subject: Subject): Drafted => {
  const { owner, target, table, group, noun } = membership;
  const { sighting, context } = subject;
  const inputs: Inputs = noInputs();
  const scope = scopeOf(inputs, { ...subject, entity: owner }, 'read');
  const above = scope.steps.findLast((step) => 'get' in step && step.get.table === owner.name);
  if (!above || !('get' in above)) return NO_ROW;
  const ownerKey: Value = `$${above.get.as}.${owner.columns.keyCol}`;
  const verb = verbOf(sighting);
  const mine = { col: OWNER, op: 'eq' as const, value: ownerKey };
  const all: Step[] = [
    { find: { table, where: [mine], limit: MOST_LISTED, as: 'links' } },
    {
      find: {
        table: target.name,
        where: [{ col: target.columns.keyCol, op: 'in', value: `links.map(link, link.${TARGET})` }],
        limit: MOST_LISTED,
        as: 'found',
      },
    },
  ];
  const missing = { error: 'not_found', message: `The ${target.table.noun} is not one of them.` };
  const there = (key: Value): Step => ({
    get: {
      table: target.name,
      where: { [target.columns.keyCol]: key },
      as: 'other',
      else: { error: 'not_found', message: `There is no such ${target.table.noun}.` },
    },
  });
  const pair = (key: Value): Record<string, Value> => ({ [OWNER]: ownerKey, [TARGET]: key });
  const add = (key: Value): Step[] => [
    there(key),
    { get: { table, where: pair(`$other.${target.columns.keyCol}`), as: 'known' } },
    { if: { that: 'known == null', do: [{ insert: { table, set: pair(`$other.${target.columns.keyCol}`) } }] } },
  ];
  const remove = (key: Value): Step[] => [
    { get: { table, where: pair(key), as: 'link', else: missing } },
    { delete: { table, where: { id: '$link.id' } } },
  ];
  const clear: Step = { delete: { table, where: { [OWNER]: ownerKey } } };
  const steps: Step[] = [...scope.steps];
  const one = verb === 'check' || verb === 'add' || verb === 'remove' ? sighting.keyParam : undefined;
  if (one !== undefined) {
    const param = sighting.op.params.find(({ name, in: place }) => place === 'path' && name === one);
    if (!param) return NO_ROW;
    const type = paramType(param, context);
    const col = namingColumn(target, one, noun);
    const arg: Arg = { type, role: 'input', ref: target.name, required: true, ...describedParam(param) };
    if (col !== target.columns.keyCol) delete arg.ref;
    const name = addInput(inputs, snake(one), arg, { in: 'path', name: one });
    const named = keyFrom(name, type, target, col);
    const look: Step = { get: { table: target.name, where: { [col]: named.value }, as: 'named', else: missing } };
    const key: Value = `$named.${target.columns.keyCol}`;
    steps.push(...named.steps, look);
    if (verb === 'check') steps.push({ get: { table, where: pair(key), as: 'link', else: missing } });
    else steps.push(...(verb === 'add' ? add(key) : remove(key)));
  } else if (verb === 'add' || verb === 'set' || verb === 'remove') {
    const places = placesOf(membership, subject);
    if (places.length === 0) return NO_ROW;
    if (verb === 'set') steps.push(clear);
    const field = target.columns.facts.get(target.columns.keyCol)?.column.field ?? target.columns.keyCol;
    for (const [at, origin] of places.entries()) {
      const name = addInput(inputs, noun, { type: 'json', role: 'input' }, origin);
      const as = `named_${at + 1}`;
      steps.push({
        sql: { query: keysQuery(target.columns.keyCol, field, origin.at?.length === 0), params: [`$args.${name}`], as },
      });
      const key: Value = '$item.key_named';
      steps.push({ each: { in: `$${as}`, as: 'item', do: verb === 'remove' ? remove(key) : add(key) } });
    }
  } else if (verb === 'clear') steps.push(clear);
  const shown = shownBy(subject, target, verb);
  if (shown.answer.kind === 'rows') steps.push(...all);
  const writes: Write[] = [
    ...(verb === 'add' || verb === 'set' ? [{ table, insert: true as const }] : []),
    ...(verb === 'remove' || verb === 'clear' || verb === 'set' ? [{ table, delete: true as const }] : []),
  ];
  const reads = [...scope.reads, table, target.name];
  const draft = draftOf(
    { ...subject, entity: owner },
    { op: 'action', steps, reads, writes, inputs, shown },
    {
      verb: `${verb}_${snake(noun)}`.slice(0, 50),
      evidence: `it ${group.place === sighting.place ? 'links' : 'speaks of links between'} rows of two collections`,
    },
  );
  return draft;
};

const shownBy = (subject: Subject, target: Membership['target'], verb: Verb): Shown => {
  const { answer } = subject.sighting;
  const of = { ...subject, entity: target };
  const table = { table: target.name };
  const isTarget =
    answer !== undefined && answer.item.name !== undefined && target.resource.aliases.has(answer.item.name);
  if (verb === 'list' || (answer?.many && isTarget)) {
    const shown = manyRows(of, 'found');
    return { ...shown, returns: { ...shown.returns, ...table } };
  }
  if (
    answer &&
    !answer.many &&
    isTarget &&
    (verb === 'check' || verb === 'add') &&
    subject.sighting.keyParam !== undefined
  ) {
    const shown = oneRow(of, 'named');
    return { ...shown, returns: { ...shown.returns, ...table } };
  }
  const done: Returns = { done: true };
  return { answer: { kind: 'done', path: [] }, returns: done };
};
