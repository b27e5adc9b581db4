/** A task's graph as text, the rows that it is about, and how the reference does it. */
import type { ServiceSpec } from '../../artifacts/service.js';
import type { Source, Task } from '../../artifacts/task.js';
import { entries, type Section, wrapped } from './layout.js';

export const graphSection = ({ nodes, edges, process, profile }: Task): Section => ({
  title: 'Graph',
  lines: [
    ...(process ? wrapped(`${process.title}: ${process.reason}`) : []),
    ...(profile ? [`  profile ${profile}`] : []),
    ...nodes.flatMap(({ id, family, service, chain, intent }) => {
      const [first = ''] = intent.split('\n');
      const short = nodes.length > 1 ? `: ${first}` : '';
      return wrapped(`${id}  ${family} in ${service}, ${chain.join(' > ')}${short}`, 2, 4);
    }),
    ...edges.flatMap(({ from, to, carries, what }) => wrapped(`${from} -> ${to}  ${carries}: ${what}`, 2, 4)),
    ...(nodes.length > 1 && edges.length === 0 ? ['  no edges: the stages need nothing of one another'] : []),
  ],
});

export const bindingSection = ({ bindings, grounding }: Task): Section => {
  const rounds = (grounding?.rounds ?? []).filter(({ rows }) => rows.length > 0);
  return {
    title: 'Bindings',
    lines: [
      ...entries(
        bindings.map(({ name, service, table, key, descriptors }) => [
          name,
          `${service}.${table} ${key}, told by ${descriptors.map(({ col, words }) => `${col} ${words}`).join(' + ') || 'nothing'}`,
        ]),
      ),
      ...(bindings.length === 0 ? ['  no single row is named'] : []),
      ...rounds.map(({ round, rows }) => `  ${rows.length} row${rows.length === 1 ? '' : 's'} of its own (${round})`),
    ],
  };
};

const fromWords = ({ arg, from }: Source): string => {
  if ('brief' in from) return `${arg}: the brief says “${from.brief}”`;
  if ('observed' in from) return `${arg}: call ${from.observed + 1} shows it at ${from.path}`;
  return `${arg}: ${from.constant}`;
};

/** What a tool says of itself; a tool's full name may carry its service's prefix. */
const describes = (services: readonly ServiceSpec[], service: string, tool: string): string => {
  const tools = services.find(({ id }) => id === service)?.tools ?? {};
  const own = Object.hasOwn(tools, tool) ? tools[tool] : undefined;
  return (own ?? Object.entries(tools).find(([name]) => tool.endsWith(`_${name}`))?.[1])?.description ?? '';
};

export const referenceSection = ({ reference, nodes }: Task, services: readonly ServiceSpec[]): Section => {
  const sum = nodes.reduce((all, { chain }) => all + chain.length, 0);
  const starts = new Map<number, string>();
  if (nodes.length > 1 && sum === reference.calls.length) {
    let at = 0;
    for (const { id, chain } of nodes) {
      starts.set(at, id);
      at += chain.length;
    }
  }
  return {
    title: 'Reference',
    lines: [
      ...reference.calls.flatMap((call, n) => {
        const node = starts.get(n);
        const says = describes(services, call.service, call.tool);
        const sources = reference.sources.filter((source) => source.call === n);
        return [
          ...(node ? [`  ${node}`] : []),
          ...wrapped(`${n + 1}. ${call.service}: ${call.tool} ${JSON.stringify(call.args)}`, 2, 5),
          ...(says ? wrapped(says, 5, 2) : []),
          ...sources.flatMap((source) => wrapped(`- ${fromWords(source)}`, 5, 2)),
        ];
      }),
      ...wrapped(`replies: ${reference.answer}`, 2, 2),
    ],
  };
};
