/** The wrong tool on the right row: in place of the right one, or on top of it. */
import type { Call } from '../../artifacts/task.js';
import { argsFor, rowReader } from '../../certify/probes.js';
import type { Json } from '../../kit/hash.js';
import { toolsOf } from '../ground/reveal.js';
import { changes, type Material, type MutantKind, replaced, subjectOf, toolOf } from './mutant.js';

/** A call of another writing tool on the task's own row that is accepted after `before`. */
const otherTool = (material: Material, before: readonly Call[]): Call | undefined => {
  const { ground, task, write, random } = material;
  const right = write === undefined ? undefined : toolOf(material, task.reference.calls[write] as Call);
  const subject = right ? subjectOf(task, right) : undefined;
  if (!subject || !right) return undefined;
  const { service } = right;
  const rows = rowReader(service);
  const key = service.keys[subject.table];
  const row = rows(subject.table).find((candidate) => key !== undefined && candidate[key] === subject.key);
  const others = toolsOf(ground.world, service.id).filter(
    ({ tool }) =>
      tool !== right.tool &&
      tool.tool.table === subject.table &&
      tool.tool.writes.length > 0 &&
      tool.tool.op !== 'create',
  );
  for (const other of random.shuffle(others)) {
    for (let serial = 0; serial < 2; serial++) {
      const args = row
        ? argsFor(
            service,
            other,
            row,
            rows,
            ground.world.spec.clock,
            random,
            serial,
            other.tool.tool.op === 'update' || serial === 1,
          )
        : undefined;
      if (!args) continue;
      const call: Call = { service: service.id, tool: other.name, args: args as Record<string, Json> };
      if (changes(material, [...before, call], before.length)) return call;
    }
  }
  return undefined;
};

export const wrongTool: MutantKind = {
  kind: 'wrong_tool',
  make: (material) => {
    const { task, write } = material;
    if (write === undefined) return [];
    const call = otherTool(material, task.reference.calls.slice(0, write));
    if (!call) return [];
    return [
      {
        kind: 'wrong_tool',
        what: `calls ${call.tool} instead`,
        calls: replaced(task.reference.calls, write, call),
        answer: task.reference.answer,
      },
    ];
  },
};

export const extraOnRow: MutantKind = {
  kind: 'extra_on_row',
  make: (material) => {
    const { task, write } = material;
    const call = write === undefined ? undefined : otherTool(material, task.reference.calls);
    return call
      ? [
          {
            kind: 'extra_on_row',
            what: `calls ${call.tool} as well`,
            calls: [...task.reference.calls, call],
            answer: task.reference.answer,
          },
        ]
      : [];
  },
};
