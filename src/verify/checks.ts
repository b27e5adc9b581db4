/** Evaluates checks against evidence. A check that throws is a verifier fault, never the agent's (certify.md). */
import type { AnswerSpec, Check } from '../artifacts/check.js';
import type { Literal } from '../artifacts/table.js';
import type { CheckResult } from '../artifacts/verdict.js';
import { TreadleError } from '../errors.js';
import type { Json } from '../kit/hash.js';
import type { Row, SqlValue } from '../world/state/types.js';
import { judgeAnswer } from './answer.js';
import type { Evidence } from './evidence.js';
import { outsideFrame } from './frame.js';
import { violationsOf } from './invariants.js';

type Found = { pass: boolean; evidence: string };

const sqlValue = (value: Literal): SqlValue => (typeof value === 'boolean' ? Number(value) : value);
const quoted = (name: string): string => `"${name}"`;
const shown = (where: Record<string, Literal>): string =>
  Object.entries(where)
    .map(([col, value]) => `${col}=${JSON.stringify(value)}`)
    .join(', ') || 'any row';

const lacks = (what: string, value: string): TreadleError =>
  new TreadleError({
    code: 'bad_check',
    message: `A check names a ${what} that the world lacks`,
    value,
    fault: 'verifier',
  });

/** Rows of the final state that match, at most `limit`. */
const matching = (
  evidence: Evidence,
  service: string,
  table: string,
  where: Record<string, Literal>,
  limit: number,
): Row[] => {
  const loaded = evidence.world.services.get(service);
  if (!loaded?.spec.tables[table]) throw lacks('table', `${service}.${table}`);
  loaded.connection.bind(evidence.after(service));
  const cols = Object.keys(where);
  const clause = cols.length === 0 ? '' : ` WHERE ${cols.map((col) => `${quoted(col)} IS ?`).join(' AND ')}`;
  const statement = loaded.connection.prepare(`SELECT * FROM ${quoted(table)}${clause} LIMIT ${limit}`);
  return statement.all(Object.values(where).map(sqlValue));
};

const single = (
  evidence: Evidence,
  check: { service: string; table: string; where: Record<string, Literal>; col: string },
): SqlValue | undefined => {
  const rows = matching(evidence, check.service, check.table, check.where, 2);
  const table = evidence.world.services.get(check.service)?.spec.tables[check.table];
  if (!table?.cols[check.col] && table?.key.col !== check.col)
    throw lacks('column', `${check.service}.${check.table}.${check.col}`);
  return rows.length === 1 ? rows[0]?.[check.col] : undefined;
};

const holdsKey = (result: Json, key: string | number): boolean => {
  if (result === key) return true;
  if (Array.isArray(result)) return result.some((item) => holdsKey(item, key));
  return result !== null && typeof result === 'object' && Object.values(result).some((item) => holdsKey(item, key));
};

const judged = (spec: AnswerSpec, { answer, judged }: Evidence): Found => {
  const found = judged?.get(answer) ?? judgeAnswer(spec, answer);
  judged?.set(answer, found);
  return found;
};

const judge = (check: Check, evidence: Evidence, answer: AnswerSpec | undefined): Found => {
  switch (check.kind) {
    case 'exists': {
      const found = matching(evidence, check.service, check.table, check.where, 1).length;
      return {
        pass: found > 0,
        evidence: `${found > 0 ? 'a' : 'no'} row in ${check.service}.${check.table} with ${shown(check.where)}`,
      };
    }
    case 'absent': {
      const found = matching(evidence, check.service, check.table, check.where, 1).length;
      return {
        pass: found === 0,
        evidence: `${found === 0 ? 'no' : 'a'} row in ${check.service}.${check.table} with ${shown(check.where)}`,
      };
    }
    case 'count': {
      const found = matching(evidence, check.service, check.table, check.where, check.count + 1).length;
      return {
        pass: found === check.count,
        evidence: `${found > check.count ? 'more than ' : ''}${Math.min(found, check.count)} rows in ${check.service}.${check.table} with ${shown(check.where)}, ${check.count} wanted`,
      };
    }
    case 'equals':
    case 'not_equals': {
      const value = single(evidence, check);
      const same = value !== undefined && value === sqlValue(check.value);
      const pass = check.kind === 'equals' ? same : value !== undefined && !same;
      return {
        pass,
        evidence: `${check.service}.${check.table} ${shown(check.where)}: ${check.col} is ${JSON.stringify(value ?? null)}, ${check.kind === 'equals' ? '' : 'not '}${JSON.stringify(check.value)} wanted`,
      };
    }
    case 'unchanged': {
      const outside = outsideFrame(check, evidence);
      return { pass: outside === undefined, evidence: outside ?? 'nothing changed outside the task' };
    }
    case 'returned': {
      const hit = evidence.ledger.find(
        (entry) => entry.ok && check.tools.includes(entry.tool) && holdsKey(entry.result, check.key),
      );
      return {
        pass: hit !== undefined,
        evidence: hit
          ? `call ${hit.index} (${hit.tool}) returned ${check.key}`
          : `no call of ${check.tools.join(', ')} returned ${check.key}`,
      };
    }
    case 'answer': {
      if (!answer)
        throw new TreadleError({
          code: 'bad_check',
          message: 'An answer check without an answer specification',
          value: check.id,
          fault: 'verifier',
        });
      return judged(answer, evidence);
    }
    case 'file': {
      const text = evidence.files.files().get(check.path);
      if (check.absent)
        return {
          pass: text === undefined,
          evidence: text === undefined ? `${check.path} is not there` : `${check.path} is there`,
        };
      if (text === undefined) return { pass: false, evidence: `${check.path} is not there` };
      const pass =
        (check.equals === undefined || text === check.equals) &&
        (check.contains === undefined || text.includes(check.contains));
      return { pass, evidence: `${check.path} holds ${text.length} characters` };
    }
    case 'invariant': {
      const broken = violationsOf(evidence, check.invariant);
      return {
        pass: broken.length === 0,
        evidence:
          broken.length === 0
            ? `${check.invariant} holds`
            : `${check.invariant} is broken by ${broken.slice(0, 3).join(', ')}`,
      };
    }
  }
};

/** One check's result with its evidence; a throw becomes a failed result marked `broken`. */
export const evaluate = (check: Check, evidence: Evidence, answer?: AnswerSpec): CheckResult => {
  try {
    return { check: check.id, kind: check.kind, ...judge(check, evidence, answer) };
  } catch (thrown) {
    return {
      check: check.id,
      kind: check.kind,
      pass: false,
      evidence: thrown instanceof Error ? thrown.message : String(thrown),
      broken: true,
    };
  }
};
