/** What the gate's lines say of all imported tasks together, with the reasons sorted into kinds. */
import type { Finding } from '../../../../artifacts/certificate.js';
import type { Task } from '../../../../artifacts/task.js';
import type { Judged } from './judge.js';

export interface GateLine {
  line: string;
  pass: number;
  fail: number;
  /** Kinds of reasons, and in how many tasks each is found: a task may have several. */
  because: Record<string, number>;
}

export interface GateReport {
  tasks: number;
  /** Tasks that every line lets pass. */
  whole: number;
  lines: GateLine[];
  /** Tasks whose effects nothing sees in full, by what is not seen. */
  unchecked: Record<string, number>;
  /** Doing nothing passes: with all checks, and where the state alone counts. */
  nothing: { checks: number; state: number };
}

const sorts = (key: string, task: Task): string => {
  const table = task.bindings.find((binding) => String(binding.key) === key)?.table;
  return table === 'order' ? "names an order's number" : table === 'user' ? "names the user's id" : 'names a key';
};

const ADDRESS = new Set(['address1', 'address2', 'city', 'state', 'country', 'zip']);

/** Kinds of what a failed line saw; one task counts once for each. */
const REASONS: Record<string, (evidence: readonly string[], task: Task) => string[]> = {
  mutants_fail: (evidence) =>
    evidence.flatMap((line) => {
      const survivor = /^survives: (\w+)/.exec(line)?.[1];
      if (survivor) return [`survives: ${survivor}`];
      return /^only \d+ kinds apply/.test(line) ? ['too few kinds of mutants apply'] : [];
    }),
  not_leaked: ([line = ''], task) => {
    const keys = /^the brief holds (?!the answer)(.*)$/.exec(line)?.[1];
    return keys ? keys.split(', ').map((key) => sorts(key, task)) : ['names the answer'];
  },
  reachable: (evidence) =>
    evidence.flatMap((line) => {
      const arg = /^(\w+)(\.\d+)? of call \d+$/.exec(line)?.[1];
      return arg === undefined ? [] : [ADDRESS.has(arg) ? 'parts of an address' : arg];
    }),
  determined: (evidence) =>
    evidence.flatMap((line) => {
      const [, hits = '', table = ''] = /: (\d+) \w+\.(\w+) row fits/.exec(line) ?? [];
      return table && hits !== '1' ? [`${table}: ${hits === '0' ? 'none fits' : 'more than one fits'}`] : [];
    }),
  alternatives_pass: (evidence) => evidence.flatMap((line) => /^(\S+).* is rejected/.exec(line)?.[1] ?? []),
};

const tally = (lists: readonly (readonly string[])[]): Record<string, number> => {
  const counts = new Map<string, number>();
  for (const list of lists) for (const one of new Set(list)) counts.set(one, (counts.get(one) ?? 0) + 1);
  return Object.fromEntries([...counts].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1)));
};

const survivors = (findings: readonly Finding[]): string[] =>
  REASONS.mutants_fail?.(findings.find(({ id }) => id === 'mutants_fail')?.evidence ?? [], {} as Task) ?? [];

export const gateReport = (judged: readonly Judged[]): GateReport => {
  const ids = [...new Set(judged.flatMap(({ certificate }) => certificate.findings.map(({ id }) => id)))];
  const lines = ids.map((line): GateLine => {
    const found = judged.flatMap(({ task, certificate }) => {
      const finding = certificate.findings.find(({ id }) => id === line);
      return finding ? [{ task, finding }] : [];
    });
    const failed = found.filter(({ finding }) => !finding.pass);
    const why = failed.map(
      ({ task, finding }) => REASONS[line]?.(finding.evidence, task) ?? finding.evidence.slice(0, 1),
    );
    return { line, pass: found.length - failed.length, fail: failed.length, because: tally(why) };
  });
  const unseen = judged.map(({ task, certificate, unseenTransfer, looseAnswer }) => [
    ...(looseAnswer ? ['an answer that lists every number passes'] : []),
    ...(survivors(certificate.findings).some((one) => one.startsWith('survives') && one !== 'survives: shotgun_answer')
      ? ['a wrong change passes']
      : []),
    ...(unseenTransfer ? ['the hand-over to a person'] : []),
    ...(task.milestones.some(({ rubric }) => rubric) && !task.answer ? ['an assertion in words'] : []),
  ]);
  return {
    tasks: judged.length,
    whole: judged.filter(({ certificate }) => certificate.pass).length,
    lines,
    unchecked: { tasks: unseen.filter((list) => list.length > 0).length, ...tally(unseen) },
    nothing: {
      checks: lines.find(({ line }) => line === 'null_agent_fails')?.fail ?? 0,
      state: judged.filter(({ nothingByState }) => nothingByState).length,
    },
  };
};

/** The report as lines of a Markdown table, and what it counts apart. */
export const gateText = (report: GateReport): string[] => {
  const rows = report.lines.map(({ line, pass, fail, because }) => [
    line,
    String(pass),
    String(fail),
    Object.entries(because)
      .map(([why, n]) => `${why} (${n})`)
      .join('; '),
  ]);
  const all = [['line', 'pass', 'fail', 'why, and in how many tasks'], ...rows];
  const widths = [0, 1, 2].map((col) => Math.max(...all.map((row) => row[col]?.length ?? 0)));
  const written = all.map(
    (row) => `| ${row.map((cell, col) => (col < 3 ? cell.padEnd(widths[col] ?? 0) : cell)).join(' | ')} |`,
  );
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} | --- |`;
  const { tasks: unchecked, ...apart } = report.unchecked;
  const kinds = Object.entries(apart).map(([what, n]) => `${what} (${n})`);
  return [
    written[0] as string,
    rule,
    ...written.slice(1),
    '',
    `${report.whole} of ${report.tasks} tasks pass every line`,
    `doing nothing passes ${report.nothing.checks} tasks, ${report.nothing.state} where the state alone counts`,
    `an effect is left unchecked in ${unchecked} tasks${kinds.length > 0 ? `: ${kinds.join('; ')}` : ''}`,
  ];
};
