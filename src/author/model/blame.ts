/** Reading a failed certificate: whose fault it is, in the names that the model knows; and leaving the guilty out. */
import type { Certificate, Finding } from '../../artifacts/certificate.js';
import type { ServiceSpec } from '../../artifacts/service.js';
import type { ServiceWork } from './spec/service.js';
import type { Issue } from './types.js';

export interface Blame {
  /** By table: what is held against its actions. */
  actions: Map<string, Issue[]>;
  /** Generic tools at fault, as `table.op`. */
  generic: Issue[];
  /** What the tables themselves are to blame for. */
  tables: Issue[];
}

/** Evidence speaks of dressed tool names; the model knows `table.action`. */
const undressed = (text: string, spec: ServiceSpec): string => {
  const names = Object.entries(spec.tools).sort(([a], [b]) => b.length - a.length);
  return names.reduce((said, [name, { id }]) => said.replaceAll(name, id), text).slice(0, 320);
};

const idsOf = (finding: Finding, spec: ServiceSpec): string[] =>
  (finding.repair?.tools ?? []).flatMap((name) => spec.tools[name]?.id ?? []);

/** Sorts the failed findings of a service's certificate by the part that has to be mended. */
export const blameOf = (certificate: Certificate, spec: ServiceSpec, work: ServiceWork): Blame => {
  const blame: Blame = { actions: new Map(), generic: [], tables: [] };
  for (const finding of certificate.findings.filter(({ pass }) => !pass)) {
    const hint = finding.repair?.hint;
    const ids = idsOf(finding, spec);
    const say = (at: string, line: string): Issue => ({
      at,
      why: `${finding.id}: ${undressed(line, spec)}`,
      ...(hint ? { hint: undressed(hint, spec) } : {}),
    });
    if (ids.length === 0) blame.tables.push(say(work.id, finding.evidence[0] ?? 'failed'));
    for (const id of ids) {
      const [table = '', verb = ''] = id.split('.');
      const name = Object.entries(spec.tools).find(([, tool]) => tool.id === id)?.[0] ?? id;
      const issue = say(id, finding.evidence.find((line) => line.includes(name)) ?? finding.evidence[0] ?? '');
      if (Object.hasOwn(work.tables[table]?.verbs ?? {}, verb))
        blame.actions.set(table, [...(blame.actions.get(table) ?? []), issue]);
      else blame.generic.push(issue);
    }
  }
  return blame;
};

const GENERIC = ['list', 'search', 'get', 'create', 'update'] as const;

/** Takes one tool out of the service; false when there is none of that id. */
const dropTool = (work: ServiceWork, id: string): boolean => {
  const [name = '', verb = ''] = id.split('.');
  const table = work.tables[name];
  if (!table) return false;
  if (Object.hasOwn(table.verbs ?? {}, verb)) {
    const { [verb]: _, ...verbs } = table.verbs ?? {};
    work.tables[name] = { ...table, verbs };
    return true;
  }
  const tools = table.tools ?? GENERIC.filter((tool) => tool !== (table.search ? 'list' : 'search'));
  const left = tools.filter((tool) => tool !== verb);
  if (left.length === tools.length) return false;
  work.tables[name] = { ...table, tools: [...left] };
  return true;
};

/** Leaves out every tool that is blamed; false when something else is at fault, or too little would be left. */
export const dropBlamed = (work: ServiceWork, blame: Blame): boolean => {
  if (blame.tables.length > 0) return false;
  const issues = [...[...blame.actions.values()].flat(), ...blame.generic];
  const ids = [...new Set(issues.map(({ at }) => at))];
  const dropped = ids.filter((id) => dropTool(work, id));
  for (const id of dropped) work.lost.push(issues.find(({ at }) => at === id) as Issue);
  return dropped.length > 0;
};
