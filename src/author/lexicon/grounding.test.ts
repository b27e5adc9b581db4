/** What grounds an effect: a document's arguments, columns of the body, columns added, and lines that are dropped. */
import { describe, expect, it } from 'vitest';
import type { Column, Table } from '../../artifacts/table.js';
import { withAdded } from './added.js';
import { compileVerb } from './compile.js';
import { matchVerb } from './match.js';
import type { VerbMatch } from './types.js';

const table = (noun: string, cols: Record<string, Column>): Table => ({
  noun,
  key: { col: 'id', gen: { style: 'base62' } },
  cols: { id: { type: 'text', required: true }, ...cols },
});
const found = (words: string, noun: string): VerbMatch => {
  const match = matchVerb(words, noun);
  if (!match) throw new Error(`${words} of ${noun} is not known`);
  return match;
};

describe('documents', () => {
  const order = table('order', {
    status: { type: 'text', required: true, enum: ['open', 'cancelled'] },
    cancel_reason: { type: 'text' },
    memo: { type: 'text' },
  });
  const request = {
    tables: { order },
    table: 'order',
    toolId: 'order.cancel',
    keyArg: { name: 'orderid', field: 'orderId' },
  };

  it('takes the arguments the document has, under its names, and no others', () => {
    const made = compileVerb(found('cancel', 'order'), {
      ...request,
      bodyArgs: {
        cancel_reason: { type: 'text', role: 'input', field: 'cancelReason', maxLength: 40 },
        urgent: { type: 'bool', role: 'input' },
      },
      operation: 'POST /orders/{orderId}/cancel',
    })!;
    expect(Object.keys(made.tool.args)).toEqual(['orderid', 'cancel_reason', 'urgent']);
    expect(made.tool.args.orderid).toMatchObject({ role: 'key', field: 'orderId', ref: 'order' });
    expect(made.tool.args.cancel_reason).toMatchObject({ field: 'cancelReason', maxLength: 40 });
    expect(JSON.stringify(made.tool.steps)).toContain('"cancel_reason":"$args.cancel_reason"');
    expect(made.tool.provenance).toEqual({
      tier: 'lexicon',
      effect: 'lexicon:cancel@order',
      operation: 'POST /orders/{orderId}/cancel',
    });
  });

  it('leaves what it was given as it was', () => {
    const bodyArgs = { reason: { type: 'text' as const, role: 'input' as const } };
    const before = structuredClone({ request, bodyArgs });
    compileVerb(found('cancel', 'order'), { ...request, bodyArgs });
    expect({ request, bodyArgs }).toEqual(before);
  });

  it('writes the columns the body names when the verb has no other ground', () => {
    const shelf = table('gadget', { color: { type: 'text' } });
    const made = compileVerb(found('amend', 'gadget'), {
      tables: { gadget: shelf },
      table: 'gadget',
      toolId: 'gadget.amend',
      keyArg: { name: 'id' },
      bodyArgs: { color: { type: 'text', role: 'input', col: 'color' } },
    })!;
    expect(made.grounds).toEqual(['body']);
    expect(made.tool.writes).toEqual([{ table: 'gadget', cols: ['color'] }]);
  });
});

describe('what is missing', () => {
  it('adds a status, and the next verb takes its values in', () => {
    let tables: Record<string, Table> = { gadget: table('gadget', { name: { type: 'text', required: true } }) };
    const values: (string[] | undefined)[] = [];
    for (const verb of ['cancel', 'archive', 'approve']) {
      const made = compileVerb(found(verb, 'gadget'), {
        tables,
        table: 'gadget',
        toolId: `gadget.${verb}`,
        keyArg: { name: 'id' },
      })!;
      tables = withAdded(tables, made.addedColumns);
      values.push(tables.gadget!.cols.status?.enum);
    }
    expect(values.at(-1)).toEqual(expect.arrayContaining(['active', 'cancelled', 'archived', 'approved']));
  });

  it('drops lines whose type does not fit, never guesses', () => {
    const odd = table('payment', {
      status: { type: 'text', required: true, enum: ['captured', 'refunded'] },
      amount: { type: 'text' },
      amount_refunded: { type: 'text' },
      refunded_at: { type: 'text' },
    });
    const made = compileVerb(found('refund', 'payment'), {
      tables: { payment: odd },
      table: 'payment',
      toolId: 'payment.refund',
      keyArg: { name: 'id' },
    })!;
    expect(made.tool.writes).toEqual([{ table: 'payment', cols: ['status'] }]);
    expect(Object.keys(made.tool.args)).toEqual(['id']);
  });

  it('is undefined for batches, unknown tables and tables without their key', () => {
    const base = {
      tables: { order: table('order', {}) },
      table: 'order',
      toolId: 'order.cancel',
      keyArg: { name: 'id' },
    };
    expect(compileVerb(found('bulk_cancel', 'order'), base)).toBeUndefined();
    expect(compileVerb(found('cancel', 'order'), { ...base, table: 'nothing' })).toBeUndefined();
    expect(
      compileVerb(found('cancel', 'order'), {
        ...base,
        tables: { order: { ...table('order', {}), key: { col: 'no' } } },
      }),
    ).toBeUndefined();
  });
});
