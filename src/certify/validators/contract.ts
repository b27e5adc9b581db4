/** 3. contract: the tool list equals the declaration; declared reads and writes equal those derived from the steps. */

import { RESERVED_TOOL_NAMES, TOOL_NAME } from '../../artifacts/service.js';
import type { Write } from '../../artifacts/tool.js';
import { derivedContract } from '../../world/program/contract.js';
import type { ServiceValidator } from '../validator.js';
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

const missing = (from: readonly string[], among: readonly string[]): string[] =>
  from.filter((item) => !among.includes(item));

export const contract: ServiceValidator = {
  id: 'contract',
  number: 3,
  title: 'Tools keep their contracts',
  run: ({ service, spec, open }) => {
    const notes = takeNotes();
    const session = open();
    const listed = session.tools().filter((tool) => tool.service === service.id);
    session.drop();
    const declared = Object.keys(spec.tools);
    if (listed.length !== declared.length)
      notes.against(
        `${listed.length} tools are listed, ${declared.length} are declared`,
        'contract',
        'Serve exactly the declared tools.',
      );
    if (declared.length > MOST_TOOLS)
      notes.against(`${declared.length} tools, more than ${MOST_TOOLS}`, 'contract', 'Split the service.');
    service.connection.bind(service.pristine);
    for (const [name, tool] of Object.entries(spec.tools)) {
      const own = notes.of(name);
      if (!TOOL_NAME.test(name) || (RESERVED_TOOL_NAMES as readonly string[]).includes(name))
        own.against(`${name} is no good tool name`, 'contract', 'Use letters, digits and _, at most 64.');
      const shown = listed.find((candidate) => candidate.name.endsWith(name));
      if (!shown || shown.description !== tool.description)
        own.against(`${name} is not listed as declared`, 'contract', 'List the tool with its own description.');
      const derived = derivedContract(service.program, name, service.connection);
      const reads = [...derived.reads].sort();
      const claimed = [...tool.reads].sort();
      for (const table of missing(reads, claimed))
        own.against(`${name} reads ${table} and does not say so`, 'contract', `Add ${table} to its reads.`);
      for (const table of missing(claimed, reads))
        own.against(
          `${name} declares a read of ${table} that never happens`,
          'contract',
          `Drop ${table} from its reads.`,
        );
      const writes = lines(derived.writes);
      const promised = lines(tool.writes);
      for (const write of missing(writes, promised))
        own.against(`${name} writes ${write} and does not say so`, 'contract', `Declare the write of ${write}.`);
      for (const write of missing(promised, writes))
        own.against(
          `${name} declares a write of ${write} that its steps never make`,
          'contract',
          `Drop the write of ${write}.`,
        );
    }
    notes.saw(`${declared.length} tools: names, descriptions, reads and writes agree with what their statements touch`);
    return notes.finding('contract');
  },
};
