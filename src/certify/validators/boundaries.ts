/** 5. boundaries: bad calls give a typed error or an empty result, the state stays untouched, nothing crashes. */
import type { Arg } from '../../artifacts/tool.js';
import type { Json } from '../../kit/hash.js';
import type { Session } from '../../serve/sessions/session.js';
import { argColumn, argPath } from '../../world/surface/args.js';
import type { Probe } from '../probes.js';
import type { ServiceSubject, ServiceValidator } from '../validator.js';
import { takeNotes } from '../validator.js';

interface Bad {
  what: string;
  args: Json;
  /** Whether the call must be refused; otherwise an empty result will do. */
  refused: boolean;
}

const FAR_TEXT = 'no-such-row-7q';

const changed = (
  args: Record<string, Json>,
  path: readonly string[],
  value: Json | undefined,
): Record<string, Json> => {
  const copy = structuredClone(args);
  let at = copy;
  for (const key of path.slice(0, -1)) {
    at[key] ??= {};
    at = at[key] as Record<string, Json>;
  }
  const last = path.at(-1) as string;
  if (value === undefined) delete at[last];
  else at[last] = value;
  return copy;
};

const unknownKey = (arg: Arg, written: Json | undefined): Json =>
  typeof written === 'number' || arg.type === 'int' ? 987_654_321 : FAR_TEXT;

const badCalls = (subject: ServiceSubject, probe: Probe): Bad[] => {
  const { spec } = subject;
  const { tool } = probe.tool.tool;
  const good = probe.args ?? {};
  const out: Bad[] = [
    { what: 'an unknown argument', args: { ...good, no_such_argument_: 1 }, refused: true },
    { what: 'a list in place of the arguments', args: [1, 2], refused: true },
  ];
  for (const [name, arg] of Object.entries(tool.args)) {
    const path = argPath(spec, name, arg);
    const column = argColumn(spec, tool, name);
    const points = arg.role === 'key' || arg.ref !== undefined || column?.fk !== undefined;
    const upserts = arg.role === 'key' && tool.op === 'create';
    if (arg.required) out.push({ what: `no ${name}`, args: changed(good, path, undefined), refused: true });
    out.push({ what: `an object as ${name}`, args: changed(good, path, { odd: [1] }), refused: arg.type !== 'json' });
    if (points && arg.type !== 'list' && !upserts)
      out.push({
        what: `an unknown ${name}`,
        args: changed(good, path, unknownKey(arg, good[path[0] as string])),
        refused: tool.op !== 'list' && tool.op !== 'search',
      });
    const longest = arg.maxLength ?? (arg.role === 'set' ? column?.maxLength : undefined);
    if (longest !== undefined && arg.type === 'text' && !arg.enum && !column?.enum)
      out.push({
        what: `${longest + 1} characters as ${name}`,
        args: changed(good, path, 'x'.repeat(longest + 1)),
        refused: true,
      });
    if ((arg.enum ?? column?.enum) && arg.type === 'text')
      out.push({ what: `an unknown value of ${name}`, args: changed(good, path, 'not_a_value_7q'), refused: true });
  }
  return out;
};

const attempt = (session: Session, name: string, bad: Bad): string | undefined => {
  const outcome = session.call(name, bad.args);
  if (outcome.error?.fault === 'world') return `${name} with ${bad.what} crashes: ${outcome.error.code}`;
  if (outcome.ok && bad.refused) return `${name} with ${bad.what} succeeds`;
  if (!outcome.ok && outcome.entry.touched.length > 0)
    return `${name} with ${bad.what} fails and still changes ${outcome.entry.touched[0]?.table}`;
  return undefined;
};

export const boundaries: ServiceValidator = {
  id: 'boundaries',
  number: 5,
  title: 'Bad calls are refused',
  run: (subject) => {
    const notes = takeNotes();
    let made = 0;
    for (const probe of subject.probes) {
      if (probe.args === undefined) continue;
      const session = subject.open();
      for (const bad of badCalls(subject, probe)) {
        made++;
        const fault = attempt(session, probe.name, bad);
        if (fault)
          notes
            .of(probe.tool.tool.name)
            .against(fault, 'steps', 'Refuse it with a typed error before anything is written.');
      }
      const left = Object.values(session.diff())
        .flat()
        .filter(() => probe.tool.tool.tool.writes.length === 0);
      if (left.length > 0)
        notes
          .of(probe.tool.tool.name)
          .against(
            `${probe.name} changed ${left[0]?.table} although it only reads`,
            'steps',
            'Let a read write nothing.',
          );
      session.drop();
    }
    notes.saw(`${made} bad calls: each refused with a code or answered empty, nothing changed, nothing crashed`);
    return notes.finding('boundaries');
  },
};
