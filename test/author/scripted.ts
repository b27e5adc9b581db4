/** Scripted models for the model author: a good small one, and the slips that others make. Served in loopback as an endpoint. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Asked {
  /** `plan`, `tables of lending`, `actions of lending: loan, item`, `rules`, `data of lending`. */
  part: string;
  /** How often this part was asked before, in all. */
  nth: number;
  prompt: string;
  /** The last message: what is to be repaired, or the prompt. */
  last: string;
  body: { messages: { role: string; content: string }[]; response_format?: { type: string }; max_tokens?: number };
}
export type Said = string | { status: number; body?: unknown; headers?: Record<string, string> } | { hang: true };
export type Script = (asked: Asked) => Said;

export const PLAN = {
  services: [
    {
      id: 'membership',
      title: 'Membership',
      about: 'Who belongs to the tool library and what they pay.',
      tables: [
        { name: 'member', about: 'A person who may borrow.' },
        { name: 'fee', about: 'What a member owes for a year.' },
      ],
    },
    {
      id: 'lending',
      title: 'Lending desk',
      about: 'Which tool is lent to whom.',
      tables: [
        { name: 'tool_item', about: 'A tool that can be lent.' },
        { name: 'loan', about: 'One tool lent to one member.' },
      ],
    },
  ],
  shared: [{ from: 'lending.loan.member_no', to: 'membership.member.member_no' }],
  country: 'NL',
};

export const TABLES: Record<string, unknown> = {
  membership: {
    tables: [
      {
        name: 'member',
        noun: 'member',
        about: 'A person who may borrow.',
        columns: [
          'member_no: no MB-',
          'name: text!',
          'email: text! fmt=email unique',
          'joined_on: date!',
          'adviser_email: emp!',
          'leave_reason: text len=200 @',
        ],
        status: 'active|suspended|ended',
        search: ['name'],
        checks: [],
      },
      {
        name: 'fee',
        noun: 'fee',
        about: 'What a member owes for a year.',
        columns: [
          'fee_no: no FE-',
          'member_id: fk! member',
          'amount: money! >=1',
          'paid: money =0 >=0 @',
          'due_on: date!',
        ],
        status: 'open|paid|waived',
        search: [],
        checks: ['paid <= amount'],
      },
    ],
  },
  lending: {
    tables: [
      {
        name: 'tool_item',
        noun: 'tool',
        about: 'A tool that can be lent.',
        columns: ['item_no: no TL-', 'name: text!', 'deposit: money! >=0', 'keeper_email: emp!'],
        status: 'available|out|retired',
        search: ['name'],
        checks: [],
      },
      {
        name: 'loan',
        noun: 'loan',
        about: 'One tool lent to one member.',
        columns: [
          'loan_no: no LN-',
          'tool_item_id: fk! tool_item',
          'member_no: ref! membership.member.member_no',
          'due_on: date!',
          'clerk_email: emp!',
          'return_note: text len=300 @',
        ],
        status: 'lent|returned|lost',
        search: [],
        checks: [],
      },
    ],
  },
};

export const ACTIONS: Record<string, unknown> = {
  membership: {
    actions: [
      { table: 'member', action: 'suspend', says: 'Stop a member from borrowing.', from: ['active'], to: 'suspended' },
      {
        table: 'member',
        action: 'reinstate',
        says: 'Let a suspended member borrow again.',
        from: ['suspended'],
        to: 'active',
      },
      {
        table: 'member',
        action: 'end_membership',
        says: 'End a membership.',
        from: ['active', 'suspended'],
        to: 'ended',
        writes: ['leave_reason!'],
      },
      {
        table: 'member',
        action: 'hand_over',
        says: 'Give a member another adviser.',
        from: ['active'],
        writes: ['adviser_email!'],
      },
      {
        table: 'fee',
        action: 'pay',
        says: 'Take a payment for a fee; it is paid when nothing is left.',
        from: ['open'],
        inputs: ['payment: money! >=1'],
        require: [
          { that: 'args.payment <= row.amount - row.paid', error: 'too_large', message: 'More than is still owed.' },
        ],
        set: ['paid = row.paid + args.payment', "status = row.paid + args.payment == row.amount ? 'paid' : 'open'"],
      },
      { table: 'fee', action: 'waive', says: 'Let a member off a fee.', from: ['open'], to: 'waived' },
    ],
  },
  lending: {
    actions: [
      { table: 'tool_item', action: 'retire', says: 'Take a tool out of use.', from: ['available'], to: 'retired' },
      {
        table: 'loan',
        action: 'return_tool',
        says: 'Take a lent tool back.',
        from: ['lent'],
        to: 'returned',
        writes: ['return_note'],
        update: [{ table: 'tool_item', id: 'row.tool_item_id', set: ["status = 'available'"] }],
      },
      {
        table: 'loan',
        action: 'report_lost',
        says: 'Note that a lent tool will not come back.',
        from: ['lent'],
        to: 'lost',
      },
      { table: 'loan', action: 'extend', says: 'Give a loan a later due date.', from: ['lent'], writes: ['due_on!'] },
    ],
  },
};

export const RULES = {
  rules: [
    {
      says: 'A member who lost a tool may not borrow: the membership is suspended or ended.',
      when: { table: 'lending.loan', where: "t.status = 'lost'" },
      expect: 'every',
      of: { table: 'membership.member', where: "x.status in ('suspended', 'ended')" },
      key: { t: 'member_no', x: 'member_no' },
      broken_by: 'lending.loan.report_lost',
      mended_by: 'membership.member.suspend',
    },
    {
      says: 'A suspended member has no loan that is still out.',
      when: { table: 'membership.member', where: "t.status = 'suspended'" },
      expect: 'none',
      of: { table: 'lending.loan', where: "x.status = 'lent'" },
      key: { t: 'member_no', x: 'member_no' },
      broken_by: 'membership.member.suspend',
      mended_by: 'lending.loan.return_tool',
    },
  ],
};

export const DATA = {
  tables: [
    { name: 'loan', rows: 45, columns: [] },
    { name: 'tool_item', rows: 40, columns: ['name: product_name'] },
  ],
};

export const partOf = (prompt: string): string => /^Part: (.*)$/m.exec(prompt)?.[1] ?? '';
const serviceOf = (part: string): string => / of (\w+)/.exec(part)?.[1] ?? '';

/** Answers every part well, at once. */
export const goodAnswer = (part: string): unknown => {
  if (part === 'plan') return PLAN;
  const service = serviceOf(part);
  if (part.startsWith('tables')) return TABLES[service];
  if (part.startsWith('actions')) return ACTIONS[service];
  if (part === 'rules') return RULES;
  if (part.startsWith('data')) return service === 'lending' ? DATA : { tables: [] };
  return {};
};
export const good: Script = ({ part }) => JSON.stringify(goodAnswer(part));

export interface Endpoint {
  baseUrl: string;
  asked: Asked[];
  close(): Promise<void>;
}

/** Serves a script as an OpenAI-compatible endpoint. */
export const serve = async (script: Script): Promise<Endpoint> => {
  const asked: Asked[] = [];
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Asked['body'];
      const prompt = body.messages[1]?.content ?? '';
      const part = partOf(prompt);
      const one = {
        part,
        nth: asked.filter((each) => each.part === part).length,
        prompt,
        last: body.messages.at(-1)?.content ?? '',
        body,
      };
      asked.push(one);
      const said = script(one);
      if (typeof said !== 'string' && 'hang' in said) return;
      const [status, answer, headers] =
        typeof said === 'string'
          ? [
              200,
              {
                choices: [{ message: { role: 'assistant', content: said }, finish_reason: 'stop' }],
                usage: usageOf(body, said),
              },
              {},
            ]
          : [said.status, said.body ?? { error: { message: 'no' } }, said.headers ?? {}];
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(JSON.stringify(answer));
    });
  });
  // A certification between two calls may take longer than node keeps an idle connection, and the next call would be reset.
  server.keepAliveTimeout = 0;
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked,
    close: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
};

const usageOf = (body: Asked['body'], said: string): object => ({
  prompt_tokens: Math.ceil(body.messages.reduce((sum, { content }) => sum + content.length, 0) / 4),
  completion_tokens: Math.ceil(said.length / 4),
});
