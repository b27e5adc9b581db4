/** A tool that does to one row what the list does to many: `delete_entities(entityNames)`. */
import type { Step } from '../../artifacts/step.js';
import type { Arg, Tool } from '../../artifacts/tool.js';
import { identifier, propertyName } from '../openapi/names.js';

const MOST = 50;

/**
 * A deletion of every row that the list argument `field` names, all or none of them. Any other tool stays as it is, one row a call,
 * and says so in its provenance.
 */
export const manyAtOnce = (tool: Tool, field: string): Tool => {
  const found = Object.entries(tool.args).find(([, arg]) => arg.role === 'key');
  const [keyName, key] = found ?? [];
  if (tool.op !== 'delete' || !key?.col || keyName === undefined) {
    const note = [tool.provenance.note, 'one row a call, where the list takes many'].filter(Boolean).join('; ');
    return { ...tool, provenance: { ...tool.provenance, note } };
  }
  const name = identifier(field, 'keys');
  const arg: Arg = {
    type: 'list',
    items: key.type === 'list' ? 'text' : key.type,
    role: 'input',
    required: true,
    maxLength: MOST,
    ref: tool.table,
    field: propertyName(field),
    ...(key.description ? { description: key.description } : {}),
  };
  const where = { [key.col]: '$one' };
  const steps: Step[] = [
    {
      each: {
        in: `$args.${name}`,
        as: 'one',
        do: [
          { get: { table: tool.table, where, as: 'row', else: { error: 'not_found', field: name } } },
          { delete: { table: tool.table, where: { [key.col]: `$row.${key.col}` } } },
        ],
      },
    },
  ];
  return {
    ...tool,
    op: 'action',
    args: { [name]: arg },
    steps,
    returns: { done: true, ...(tool.returns?.envelope === undefined ? {} : { envelope: tool.returns.envelope }) },
    reads: [...new Set([...tool.reads, tool.table])],
  };
};
