/** A ToolHost in memory: notes that can be written, read, listed and dropped. Each host is its own world. */
import type { LedgerEntry } from '../../src/artifacts/trace.js';
import type { Json } from '../../src/kit/hash.js';
import type { CallOutcome, SessionTool, ToolHost } from '../../src/serve/tool-host.js';

const text = { type: 'string' };
const tool = (name: string, rest: Partial<SessionTool>): SessionTool => ({
  service: 'notes',
  name,
  description: `What ${name} does`,
  inputSchema: { type: 'object', properties: {}, additionalProperties: false },
  outputSchema: { type: 'object' },
  readOnly: true,
  destructive: false,
  version: name,
  ...rest,
});

export const NOTE_TOOLS: SessionTool[] = [
  tool('write_note', {
    readOnly: false,
    inputSchema: { type: 'object', properties: { title: text, body: text }, required: ['title'] },
    outputSchema: { type: 'object', properties: { title: text, size: { type: 'integer' } }, required: ['title'] },
  }),
  tool('list_notes', { outputSchema: { type: 'array', items: text } }),
  tool('count_notes', { outputSchema: { type: 'integer' } }),
  tool('drop_note', { readOnly: false, destructive: true }),
  tool('break', { description: 'Throws' }),
];

export interface NoteHost extends ToolHost {
  notes: Map<string, string>;
  ledger: LedgerEntry[];
}

export const noteHost = (): NoteHost => {
  const notes = new Map<string, string>();
  const ledger: LedgerEntry[] = [];
  const bad = (code: string, status: number): Omit<CallOutcome, 'entry'> => ({
    ok: false,
    result: { error: { code, message: `That is ${code}` } },
    error: { code, fault: 'agent', status },
  });
  const good = (result: Json): Omit<CallOutcome, 'entry'> => ({ ok: true, result });
  const run = (name: string, args: Record<string, unknown>): Omit<CallOutcome, 'entry'> => {
    const { title, body = '' } = args;
    switch (name) {
      case 'write_note':
        if (typeof title !== 'string') return bad('missing_argument', 422);
        notes.set(title, String(body));
        return good({ title, size: String(body).length });
      case 'list_notes':
        return good([...notes.keys()]);
      case 'count_notes':
        return good(notes.size);
      case 'drop_note':
        return notes.delete(String(title)) ? good({}) : bad('not_found', 404);
      case 'break':
        throw new Error('secret detail of the host');
      default:
        return bad('unknown_tool', 404);
    }
  };
  return {
    notes,
    ledger,
    tools: () => NOTE_TOOLS,
    call: (name, args) => {
      const outcome = run(name, args as Record<string, unknown>);
      const entry: LedgerEntry = {
        index: ledger.length,
        service: 'notes',
        tool: name,
        toolVersion: name,
        args: args as Json,
        ok: outcome.ok,
        result: outcome.result,
        touched: [],
        at: 0,
      };
      ledger.push(entry);
      return { ...outcome, entry };
    },
  };
};
