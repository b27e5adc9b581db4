/** The rules of the world: across two services, not enforced by either (certify.md, 8 to 10). */
import { z } from 'zod';
import type { ServiceSpec } from '../../../artifacts/service.js';
import type { Invariant, Link } from '../../../artifacts/world.js';
import type { Part } from '../ask.js';
import { RULES } from '../prompts.js';
import { wrongCondition } from '../spec/condition.js';
import type { ServiceWork } from '../spec/service.js';
import { shownService } from '../spec/show.js';
import { nameOf, plainLine } from '../text/words.js';
import type { Issue } from '../types.js';
import { type Bag, entries, get, isBag } from './reading.js';

const text = z.string();
const side = z.object({ table: text, where: text });
const Answer = z.object({
  rules: z.array(
    z.object({
      says: text,
      when: side,
      expect: z.enum(['none', 'at_least_one', 'every']),
      of: side,
      key: z.object({ t: text, x: text }),
      broken_by: text,
      mended_by: text,
    }),
  ),
});

/** Rules a world may have of the model's. */
export const MOST_RULES = 8;
/** Rules that are enough. */
const WANTED = 2;

type Specs = ReadonlyMap<string, ServiceSpec>;

interface Side {
  service: string;
  table: string;
  where: string;
}

const readSide = (value: unknown, name: string, specs: Specs, at: string, issues: Issue[]): Side | undefined => {
  const bag: Bag = isBag(value) ? value : {};
  const path = String(get(bag, 'table') ?? '').includes('.')
    ? String(get(bag, 'table'))
    : `${String(get(bag, 'service') ?? '')}.${String(get(bag, 'table') ?? '')}`;
  const [service = '', table = ''] = path.split('.').map((part) => nameOf(part) ?? '');
  const spec = specs.get(service);
  if (!spec || !Object.hasOwn(spec.tables, table)) {
    const known = [...specs.values()].flatMap(({ id, tables }) => Object.keys(tables).map((one) => `${id}.${one}`));
    issues.push({
      at,
      why: `"${name}": there is no table ${path.slice(0, 80)}.`,
      hint: `Tables: ${known.join(', ').slice(0, 700)}.`,
    });
    return undefined;
  }
  return { service, table, where: String(get(bag, 'where') ?? '').trim() };
};

const toolPath = (value: unknown, specs: Specs, at: string, name: string, issues: Issue[]): string | undefined => {
  const [service = '', ...id] = String(value ?? '').split('.');
  const spec = specs.get(service);
  const tools = Object.values(spec?.tools ?? {}).filter(({ writes }) => writes.length > 0);
  if (tools.some((tool) => tool.id === id.join('.'))) return `${service}.${id.join('.')}`;
  const known = (spec ? [spec] : [...specs.values()]).flatMap((one) =>
    Object.values(one.tools)
      .filter(({ writes }) => writes.length > 0)
      .map((tool) => `${one.id}.${tool.id}`),
  );
  issues.push({
    at,
    why: `"${name}" is no tool that changes anything: ${String(value).slice(0, 80)}.`,
    hint: `Tools: ${known.join(', ').slice(0, 700)}.`,
  });
  return undefined;
};

const keyOf = (value: unknown): { trigger: string; target: string } | undefined => {
  if (typeof value === 'string') {
    const [t, x = t] = value.split('=').map((part) => nameOf(part.replace(/^\s*[tx]\./, '')));
    return t && x ? { trigger: t, target: x } : undefined;
  }
  if (!isBag(value)) return undefined;
  const [t, x] = [nameOf(get(value, 't', 'trigger')), nameOf(get(value, 'x', 'target'))];
  return t && x ? { trigger: t, target: x } : undefined;
};

const isShared = (links: readonly Link[], t: Side, x: Side, key: Invariant['key']): boolean => {
  const ends = (service: string, table: string, col: string): string => `${service}.${table}.${col}`;
  const [a, b] = [ends(t.service, t.table, key.trigger), ends(x.service, x.table, key.target)];
  const same = links.map(({ from, to }) => [
    ends(from.service, from.table, from.col),
    ends(to.service, to.table, to.col),
  ]);
  // Two columns that hold the same third one's values speak of the same thing too.
  const of = (end: string): string[] => [end, ...same.flatMap(([from, to]) => (from === end ? [to as string] : []))];
  return of(a).some((end) => of(b).includes(end));
};

const readRule = (
  bag: Bag,
  at: string,
  specs: Specs,
  links: readonly Link[],
  issues: Issue[],
): Invariant | undefined => {
  const before = issues.length;
  const t = readSide(get(bag, 'when', 'trigger'), 'when', specs, at, issues);
  const x = readSide(get(bag, 'of', 'target'), 'of', specs, at, issues);
  const expect = get(bag, 'expect') ?? (isBag(bag.of) ? get(bag.of, 'expect') : undefined);
  if (expect !== 'none' && expect !== 'at_least_one' && expect !== 'every')
    issues.push({ at, why: '"expect" is none of "none", "at_least_one", "every".' });
  const key = keyOf(get(bag, 'key'));
  if (!key)
    issues.push({ at, why: 'it has no key.', hint: 'Give "key": {"t": "column of when", "x": "column of of"}.' });
  if (t && x && t.service === x.service)
    issues.push({
      at,
      why: `"when" and "of" are both in ${t.service}; a rule holds between two services.`,
      hint: 'Take the table of another service for one of them.',
    });
  if (!t || !x || !key || t.service === x.service) return undefined;
  const cols = (one: Side) => specs.get(one.service)?.tables[one.table]?.cols ?? {};
  for (const [name, sql, sides] of [
    ['when', t.where, { t: cols(t) }],
    ['of', x.where, { x: cols(x), t: cols(t) }],
  ] as const) {
    const why = wrongCondition(sql, sides);
    if (why) issues.push({ at, why: `"where" of "${name}": ${why}` });
  }
  if (!isShared(links, t, x, key))
    issues.push({
      at,
      why: `${t.service}.${t.table}.${key.trigger} and ${x.service}.${x.table}.${key.target} are not shared.`,
      hint: `Shared: ${sharedLines(links).join(', ').slice(0, 500)}.`,
    });
  const violatedBy = toolPath(get(bag, 'broken_by', 'violated_by'), specs, at, 'broken_by', issues);
  const repairedBy = toolPath(get(bag, 'mended_by', 'repaired_by'), specs, at, 'mended_by', issues);
  const says = plainLine(get(bag, 'says'), 240);
  if (!says) issues.push({ at, why: '"says" is empty.', hint: 'Say the rule in one plain sentence.' });
  if (issues.length > before || !violatedBy || !repairedBy) return undefined;
  return {
    id: 'rule',
    says,
    trigger: t,
    target: { ...x, expect: expect as 'none' | 'at_least_one' | 'every' },
    key,
    violatedBy,
    repairedBy,
  };
};

const sharedLines = (links: readonly Link[]): string[] =>
  links
    .filter(({ from }) => !['mail', 'chat'].includes(from.service))
    .map(({ from, to }) => `${from.service}.${from.table}.${from.col} = ${to.service}.${to.table}.${to.col}`);

/** An id of ours, the same for the same rule asked again. */
const named = (rule: Invariant, others: readonly Invariant[]): Invariant => {
  const base = `${rule.trigger.table}_${rule.target.table}`.slice(0, 56);
  const taken = new Set(others.map(({ id }) => id));
  let id = base;
  for (let n = 2; taken.has(id); n++) id = `${base}_${n}`;
  return { ...rule, id };
};

export interface Rules {
  part: Part;
  rules(): Invariant[];
}

const DIRECTORY = `service directory
- employee [status: active|on_leave|left] employee_no: text; email: text`;

/** The part that writes rules between the services; what is sound is kept under an id of ours. `kept` are those that stand already. */
export const rulesPart = (
  works: readonly ServiceWork[],
  specs: Specs,
  links: readonly Link[],
  kept: readonly Invariant[] = [],
): Rules => {
  const sound = new Map<string, Invariant>(kept.map((rule) => [rule.says, rule]));
  const read = (value: unknown): Issue[] => {
    const issues: Issue[] = [];
    for (const [n, bag] of entries(value, 'when', 'rules', 'invariants').slice(0, MOST_RULES).entries()) {
      const says = plainLine(get(bag, 'says'), 240);
      const rule = readRule(bag, `rule ${n + 1}${says ? ` (${says.slice(0, 60)})` : ''}`, specs, links, issues);
      if (!rule || sound.size >= MOST_RULES) continue;
      sound.set(
        rule.says,
        named(
          rule,
          [...sound.values()].filter(({ says: other }) => other !== rule.says),
        ),
      );
    }
    // Enough is enough: what is wrong beside two sound rules costs more than it brings.
    if (sound.size >= WANTED) return [];
    return issues.length > 0
      ? issues
      : [{ at: 'rules', why: `there are ${sound.size} sound rules.`, hint: `Write at least ${WANTED}.` }];
  };
  const prompt = `Part: rules\nThe services:\n${works.map(shownService).join('\n')}\n${DIRECTORY}\nShared columns:\n${sharedLines(
    links,
  )
    .map((line) => `- ${line}`)
    .join('\n')}\nWrite 2 to 4 rules that matter in this business.\n${RULES}`;
  return { part: { id: 'rules', prompt, answer: Answer, read }, rules: () => [...sound.values()] };
};
