/** Which rows a tool would accept, as far as its declared preconditions say so: planning over contracts, before anything is run. */
import type { Tool } from '../../artifacts/tool.js';
import type { Row, SqlValue } from '../../world/state/types.js';
import { subjectArg } from '../../world/surface/subject.js';

type Test = (row: Row) => boolean;

const literal = (text: string): SqlValue | undefined => {
  if (text === 'true' || text === 'false') return text === 'true' ? 1 : 0;
  if (text === 'null') return null;
  const quoted = /^'([^']*)'$/.exec(text);
  return quoted ? (quoted[1] as string) : /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : undefined;
};

/** `row.status == 'open'`, `row.paid_on != null`, `row.status in ['open', 'held']`; anything else says nothing here. */
const testOf = (that: string, name: string): Test | undefined => {
  const among = new RegExp(`^${name}\\.(\\w+) in \\[([^\\]]*)\\]$`).exec(that);
  if (among) {
    const values = (among[2] as string).split(',').map((value) => literal(value.trim()));
    return values.includes(undefined) ? undefined : (row) => values.includes(row[among[1] as string] ?? null);
  }
  const plain = new RegExp(`^${name}\\.(\\w+) (==|!=) (.+)$`).exec(that);
  const value = plain ? literal(plain[3] as string) : undefined;
  if (!plain || value === undefined) return undefined;
  return (row) => ((row[plain[1] as string] ?? null) === value) === (plain[2] === '==');
};

/** Rows on which every precondition that can be read off the tool's steps holds; all of them where none holds on any. */
export const readyRows = (tool: Tool, rows: readonly Row[]): readonly Row[] => {
  const subject = subjectArg(tool);
  const names = (tool.steps ?? []).flatMap((step) =>
    'get' in step && step.get.table === tool.table && Object.values(step.get.where).includes(`$args.${subject}`)
      ? [step.get.as]
      : [],
  );
  const tests = (tool.steps ?? [])
    .flatMap((step) => ('require' in step ? step.require : []))
    .flatMap(({ that }) => names.flatMap((name) => testOf(that, name) ?? []));
  const ready = rows.filter((row) => tests.every((test) => test(row)));
  return ready.length > 0 ? ready : rows;
};
