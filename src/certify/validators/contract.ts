/** 3. contract: the tool list equals the declaration; declared reads and writes equal those derived from the steps. */

import { RESERVED_TOOL_NAMES, TOOL_NAME } from '../../artifacts/service.js';
import type { Tool, Write } from '../../artifacts/tool.js';
import type { SessionTool } from '../../serve/tool-host.js';
import type { LoadedWorld } from '../../world/loaded.js';
import { derivedContract } from '../../world/program/contract.js';
import { inputFaults, nameFaults, outputFaults } from '../declared.js';
import type { ServiceSubject, ServiceValidator } from '../validator.js';
import { takeNotes } from '../validator.js';

const MOST_TOOLS = 40;

/** Writes as one comparable line each: `invoice insert`, `invoice.status`. */
const lines = (writes: readonly Write[]): string[] =>
  [
    ...new Set(
      writes.flatMap(({ table, cols, insert, delete: gone }) => [
        ...(insert ? [`${table} insert`] : []),
        ...(gone ? [`${table} delete`] : []),
        ...(cols ?? []).map((col) => `${table}.${col}`),
      ]),
    ),
  ].sort();

const lists = new WeakMap<LoadedWorld, ReadonlyMap<string, SessionTool>>();

/** The world's tool list as a session serves it, by full name; asked for once a world. */
const listOf = (subject: ServiceSubject): ReadonlyMap<string, SessionTool> => {
  const known = lists.get(subject.world);
  if (known) return known;
  const session = subject.open();
  const listed = new Map(session.tools().map((tool) => [tool.name, tool]));
  session.drop();
  lists.set(subject.world, listed);
  return listed;
};

const missing = (from: readonly string[], among: readonly string[]): string[] =>
  from.filter((item) => !among.includes(item));

/** Declared reads and writes against what the statements touch. */
const touchFaults = ({ service }: ServiceSubject, name: string, tool: Tool): string[] => {
  const derived = derivedContract(service.program, name, service.connection);
  const writes = lines(derived.writes);
  const promised = lines(tool.writes);
  return [
    ...missing(derived.reads, tool.reads).map((table) => `reads ${table} and does not say so`),
    ...missing(tool.reads, derived.reads).map((table) => `declares a read of ${table} that never happens`),
    ...missing(writes, promised).map((write) => `writes ${write} and does not say so`),
    ...missing(promised, writes).map((write) => `declares a write of ${write} that its steps never make`),
  ];
};

const listFaults = ({ spec }: ServiceSubject, name: string, tool: Tool, listed: SessionTool | undefined): string[] => {
  if (!listed) return ['is not listed'];
  const readOnly = tool.writes.length === 0;
  return [
    ...(TOOL_NAME.test(name) && !(RESERVED_TOOL_NAMES as readonly string[]).includes(name)
      ? []
      : ['is no good tool name']),
    ...(listed.description === tool.description ? [] : ['is listed with another description']),
    ...(listed.readOnly && !readOnly ? ['is listed as a read and declares writes'] : []),
    ...inputFaults(spec, tool, listed.inputSchema as never),
    ...outputFaults(spec, tool, listed.outputSchema as never),
  ];
};

export const contract: ServiceValidator = {
  id: 'contract',
  number: 3,
  title: 'Tools keep their contracts',
  run: (subject) => {
    const { world, service, spec } = subject;
    const notes = takeNotes();
    const listed = listOf(subject);
    const prefix = world.spec.services.find(({ id }) => id === service.id)?.prefix ?? '';
    const declared = Object.entries(spec.tools);
    const own = [...listed.values()].filter((tool) => tool.service === service.id);
    if (own.length !== declared.length)
      notes.against(
        `${own.length} tools are listed, ${declared.length} are declared`,
        'contract',
        'Serve exactly the declared tools.',
      );
    if (declared.length > MOST_TOOLS)
      notes.against(`${declared.length} tools, more than ${MOST_TOOLS}`, 'contract', 'Split the service.');
    service.connection.bind(service.pristine);
    for (const [name, tool] of declared) {
      const faults = [
        ...nameFaults(spec, tool),
        ...listFaults(subject, name, tool, listed.get(prefix + name)),
        ...touchFaults(subject, name, tool),
      ];
      for (const fault of faults)
        notes.of(name).against(`${name} ${fault}`, 'contract', 'Make the declaration say what the steps do.');
    }
    notes.saw(
      `${declared.length} tools: names, arguments, types and answers are listed as declared; reads and writes agree with what their statements touch`,
    );
    return notes.finding('contract');
  },
};
