import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { ServiceSpec } from '../../artifacts/service.js';
import { canonicalJson } from '../../kit/hash.js';
import { authorFromToolList } from '../mcp/author.js';
import { placeDocument } from '../place-document.js';
import { applyOverrides } from './apply.js';
import { overrideDraft } from './draft.js';
import { readOverrides } from './read.js';

const text = readFileSync(
  fileURLToPath(new URL('../../../test/fixtures/tool-lists/helpdesk.json', import.meta.url)),
  'utf8',
);
const specs = authorFromToolList(text, { name: 'helpdesk', seed: '1' }).services;
const apply = (yaml: string): ServiceSpec => applyOverrides(specs, readOverrides(yaml))[0] as ServiceSpec;
const why = (yaml: string): string => {
  try {
    apply(yaml);
  } catch (thrown) {
    expect(thrown).toMatchObject({ code: 'bad_overrides' });
    return (thrown as Error).message;
  }
  throw new Error('nothing was refused');
};

describe('corrections', () => {
  it('rename a table wherever the service speaks of it', () => {
    const spec = apply('tables: {comment: {rename: note}, ticket: {rename: case}}');
    expect(Object.keys(spec.tables).sort()).toEqual(['agent', 'case', 'customer', 'note']);
    expect(spec.tables.note?.cols.ticket_id?.fk).toBe('case');
    expect(spec.tools.close_ticket).toMatchObject({ id: 'case.close', table: 'case', writes: [{ table: 'case' }] });
    expect(JSON.stringify(spec.tools.close_ticket?.steps)).not.toContain('"ticket"');
  });

  it('rename, describe and drop tools', () => {
    const spec = apply(
      'tools: {close_ticket: {rename: finish_ticket, description: Done with it.}, delete_comment: {drop: true}}',
    );
    expect(spec.tools.finish_ticket?.description).toBe('Done with it.');
    expect(Object.keys(spec.tools)).not.toEqual(expect.arrayContaining(['close_ticket']));
    expect(spec.tools.delete_comment).toBeUndefined();
  });

  it('set what a column is, and its arguments with it', () => {
    const spec = apply(`
tables:
  ticket:
    rows: 30
    columns:
      priority: {enum: [p1, p2], required: true, default: p2}
      description: {required: true}
  agent:
    columns:
      team: {enum: null, description: Where they work}`);
    expect(spec.tables.ticket).toMatchObject({
      rows: 30,
      cols: { priority: { enum: ['p1', 'p2'], default: 'p2', required: true } },
    });
    expect(spec.tools.create_ticket?.args.priority?.enum).toEqual(['p1', 'p2']);
    expect(spec.tools.list_tickets?.args.priority?.enum).toEqual(['p1', 'p2']);
    expect(spec.tools.create_ticket?.args.description?.required).toBe(true);
    expect(spec.tables.agent?.cols.team?.enum).toBeUndefined();
  });

  it('add and take away references', () => {
    const spec = apply('tables: {ticket: {columns: {assignee_id: {fk: null}, tags: {fk: agent}}}}');
    expect(spec.tables.ticket?.cols.assignee_id?.fk).toBeUndefined();
    expect(spec.tables.ticket?.cols.tags).toMatchObject({ fk: 'agent', type: 'text' });
    expect(spec.tools.create_ticket?.args.tags).toMatchObject({ ref: 'agent', type: 'text' });
  });

  it('give a tool another effect', () => {
    const spec = apply('tools: {resolve_ticket: {effect: escalate}}');
    expect(spec.tools.resolve_ticket).toMatchObject({
      op: 'action',
      provenance: { effect: expect.stringContaining('escalate') },
    });
  });

  it('are the same twice, and leave the draft as it was', () => {
    const before = canonicalJson(specs as never);
    const yaml = 'tables: {comment: {rename: note}}';
    expect(canonicalJson(apply(yaml))).toBe(canonicalJson(apply(yaml)));
    expect(canonicalJson(specs as never)).toBe(before);
  });

  it('reach links and rules of a draft, whose core keeps its names', () => {
    const draft = placeDocument({ title: 'helpdesk', services: specs, seed: '1' });
    const speaks = (d: typeof draft, table: string): number =>
      [
        ...d.links.flatMap(({ from, to }) => [from, to]),
        ...d.invariants.flatMap(({ trigger, target }) => [trigger, target]),
      ].filter((at) => at.service === 'helpdesk' && at.table === table).length;
    const renamed = overrideDraft(draft, readOverrides('tables: {agent: {rename: clerk}, ticket: {rename: case}}'));
    expect(speaks(draft, 'agent') + speaks(draft, 'ticket')).toBeGreaterThan(0);
    expect(speaks(renamed, 'clerk')).toBe(speaks(draft, 'agent'));
    expect(speaks(renamed, 'case')).toBe(speaks(draft, 'ticket'));
    expect(() => overrideDraft(draft, readOverrides('tables: {directory.employee: {rename: colleague}}'))).toThrow(
      /core/,
    );
  });

  it('may be empty', () => expect(apply('')).toEqual(specs[0]));
});

describe('entries that cannot be applied', () => {
  it.each([
    ['tables: {tikcet: {rows: 3}}', /no table is called tikcet; near it: ticket/],
    ['tools: {close_tickte: {drop: true}}', /no tool is called close_tickte; near it: close_ticket/],
    ['tables: {ticket: {columns: {priorty: {required: true}}}}', /no column priorty; near it: priority/],
    ['tables: {ticket: {columns: {tags: {fk: agnet}}}}', /ticket.tags.fk: no table is called agnet; near it: agent/],
    ['tools: {close_ticket: {effect: clsoe}}', /no verb of the lexicon is called clsoe; near it: .*close/],
    ['tools: {list_tickets: {effect: close}}', /names no row of ticket/],
    ['tables: {ticket: {rename: agent}}', /has a table agent already/],
    ['tables: {ticket: {rename: "My Table"}}', /no lower_snake name/],
    ['tools: {close_ticket: {rename: get_ticket}}', /has a tool get_ticket already/],
    ['tools: {close_ticket: {rename: "a b"}}', /no name a tool may have/],
    ['tools: {close_ticket: {rename: reset}}', /no name a tool may have/],
    ['tables: {ticket: {columns: {id: {type: int}}}}', /is the key/],
    ['services: {helpdsk: {title: x}}', /no service is called helpdsk; there are helpdesk/],
    ['tables: {ticket: {colums: {}}}', /tables.ticket: .*colums/],
    ['tables: {ticket: {columns: {tags: {type: blob}}}}', /tables.ticket.columns.tags.type/],
    ['tools: {close_ticket: {drop: false}}', /tools.close_ticket.drop/],
    ['[1, 2]', /the file/],
    ['a: [', /./],
    ['a: &x [*x, *x]\nb: *x', /./],
  ])('%s', (yaml, message) => expect(why(yaml)).toMatch(message));

  it('are all told of', () =>
    expect(why('tables: {tikcet: {rows: 3}}\ntools: {clsoe: {drop: true}}')).toMatch(/tikcet.*clsoe|clsoe.*tikcet/));
});
