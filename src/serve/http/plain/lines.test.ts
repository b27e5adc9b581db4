import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../limits.js';
import { type Listening, listen } from '../listen.js';
import type { PlainHandler } from './lines.js';

const LIMITS = { ...DEFAULT_LIMITS, closeMs: 200, requestMs: 400, keepAliveMs: 60_000 };

/** What a server heard, said back; `plain` answers say so. */
const said = (url: string, headers: object, body: string, by: string): string =>
  JSON.stringify({ by, url, headers: Object.entries(headers).sort(), body });

const late: (() => void)[] = [];
const plain: PlainHandler = ({ url, headers }, content, reply) => {
  const body = content.toString('utf8');
  const answer = (): void => reply.json(200, said(url, headers, body, 'plain'));
  if (url === '/late') late.push(answer);
  else if (url === '/soon') setImmediate(answer);
  else if (url === '/event') reply.event('{"a":1}');
  else if (url === '/bytes') reply.json(200, [content]);
  else if (url === '/pieces') reply.json(200, ['["é",', Buffer.from('"ü"'), ',1]']);
  else answer();
};

const start = (isPlain: boolean): Promise<Listening> =>
  listen(
    (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { url = '', headers } = request;
        response.end(said(url, { ...headers }, Buffer.concat(chunks).toString('utf8'), 'node'));
      });
    },
    '127.0.0.1',
    0,
    LIMITS,
    isPlain ? { plain } : {},
  );

let both: [Listening, Listening];
beforeAll(async () => {
  both = [await start(true), await start(false)];
});
afterAll(async () => {
  for (const each of both) await each.close();
});

const open = async (server: Listening = both[0]): Promise<Socket> => {
  const socket = connect(Number(new URL(server.origin).port), '127.0.0.1');
  await new Promise((done) => socket.once('connect', done));
  return socket;
};

interface Heard {
  status: number;
  head: string;
  body: string;
}

/** The first `count` answers on a connection, or those before it was hung up. */
const answers = (socket: Socket, count: number): Promise<Heard[]> =>
  new Promise((resolve) => {
    let bytes = Buffer.alloc(0);
    const heard: Heard[] = [];
    const finish = (): void => {
      clearTimeout(timer);
      resolve(heard);
    };
    const timer = setTimeout(finish, 15_000);
    socket.on('error', finish);
    socket.on('close', finish);
    socket.on('data', (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk]);
      for (let end = bytes.indexOf('\r\n\r\n'); end >= 0; end = bytes.indexOf('\r\n\r\n')) {
        const head = bytes.toString('latin1', 0, end);
        const chunked = /transfer-encoding: chunked/i.test(head);
        const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
        const stop = chunked ? bytes.indexOf('0\r\n\r\n', end) + 5 : end + 4 + length;
        if (bytes.length < stop || (chunked && stop < end)) return;
        const raw = bytes.toString('utf8', end + 4, stop);
        const body = chunked ? raw.replace(/^[0-9a-f]+\r\n/, '').replace(/\r\n0\r\n\r\n$/, '') : raw;
        heard.push({ status: Number(head.slice(9, 12)), head, body });
        bytes = bytes.subarray(stop);
        if (heard.length === count) finish();
      }
    });
  });

const post = (url: string, body = '{}', more = ''): string =>
  `POST ${url} HTTP/1.1\r\nHost: here\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${more}\r\n${body}`;

const tell = async (text: string | Buffer, count = 1, server?: Listening): Promise<Heard[]> => {
  const socket = await open(server);
  socket.write(text);
  const heard = await answers(socket, count);
  socket.destroy();
  return heard;
};

const by = (heard: Heard | undefined): string => (JSON.parse(heard?.body ?? '{}') as { by: string }).by;

describe('plain requests', () => {
  it('are answered without node, one after another and many in one packet', async () => {
    const heard = await tell(post('/a') + post('/soon', '"é"') + post('/c', ''), 3);
    expect(heard.map(by)).toEqual(['plain', 'plain', 'plain']);
    expect(heard.map(({ body }) => JSON.parse(body).url)).toEqual(['/a', '/soon', '/c']);
    expect(JSON.parse(heard[1]?.body ?? '').body).toBe('"é"');
    expect(heard[0]?.head).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(heard[0]?.head).toMatch(/\r\ndate: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT/);
  });

  it('may come byte by byte after a whole head', async () => {
    const socket = await open();
    const heard = answers(socket, 1);
    socket.write(post('/slow', 'x'.repeat(20)).slice(0, -20));
    for (let i = 0; i < 20; i++) {
      await sleep(2);
      socket.write('x');
    }
    expect(by((await heard)[0])).toBe('plain');
    socket.destroy();
  });

  it('thousands in one write do not exhaust the stack', async () => {
    const heard = await tell('POST / HTTP/1.1\r\nhost:a\r\ncontent-length:0\r\n\r\n'.repeat(4_000), 4_000);
    expect(heard).toHaveLength(4_000);
    expect(by(heard[1_000])).toBe('plain');
  });

  it('are answered as pieces and as one event', async () => {
    const [pieces, event] = await tell(post('/pieces') + post('/event'), 2);
    expect(pieces?.body).toBe('["é","ü",1]');
    expect(event?.body).toBe('event: message\ndata: {"a":1}\n\n');
    expect(event?.head).toMatch(/content-type: text\/event-stream/);
  });

  it('are answered with bytes as they are, few or many', async () => {
    const texts = ['"é€😀"', JSON.stringify('ü'.repeat(12_000))];
    const heard = await tell(texts.map((text) => post('/bytes', text)).join(''), 2);
    expect(heard.map(({ body }) => body)).toEqual(texts);
    expect(heard.map(({ head }) => /content-length: (\d+)/.exec(head)?.[1])).toEqual(
      texts.map((text) => String(Buffer.byteLength(text))),
    );
  });
});

describe('what is not plain goes to node', () => {
  const odd: [string, string][] = [
    ['another method', 'GET /x HTTP/1.1\r\nhost: here\r\n\r\n'],
    ['a chunked body', 'POST /x HTTP/1.1\r\nhost: here\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n'],
    ['connection: close', post('/x', '{}', 'Connection: close\r\n')],
    ['two of a header', post('/x', '{}', 'x-a: 1\r\nx-a: 2\r\n')],
    ['letters that are not ASCII', post('/x', '{}', 'x-a: é\r\n')],
    ['a large body', post('/x', 'y'.repeat(70_000))],
    ['a body that is not UTF-8', 'POST /x HTTP/1.1\r\nhost: here\r\ncontent-length: 1\r\n\r\n\xff'],
    ['a long head', post('/x', '{}', `x-a: ${'z'.repeat(9_000)}\r\n`)],
  ];
  it.each(odd)('%s', async (_name, text) => {
    const heard = await tell(Buffer.from(text, text.includes('\xff') ? 'latin1' : 'utf8'));
    expect(heard[0]?.status).toBe(200);
    expect(by(heard[0])).toBe('node');
  });

  it('a head in two packets, and everything after it on that connection', async () => {
    const socket = await open();
    const heard = answers(socket, 3);
    socket.write(post('/first'));
    await sleep(20);
    socket.write(post('/second').slice(0, 15));
    await sleep(20);
    socket.write(post('/second').slice(15) + post('/third'));
    expect((await heard).map((each) => [by(each), JSON.parse(each.body).url])).toEqual([
      ['plain', '/first'],
      ['node', '/second'],
      ['node', '/third'],
    ]);
    socket.destroy();
  });

  it('refuses with node what node refuses', async () => {
    for (const text of [
      'POST /x HTTP/1.1\r\ncontent-length: 2\r\n\r\n{}',
      'POST /x HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}',
      'POST /x HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n{}',
      'POST /x HTTP/1.1\r\nhost : a\r\ncontent-length: 2\r\n\r\n{}',
      'POST /x HTTP/1.1\r\nhost: a\r\ncontent-length: -2\r\n\r\n{}',
      'hello\r\n\r\n',
    ]) {
      const [front, bare] = [await tell(text), await tell(text, 1, both[1])];
      expect(front.map(({ status }) => status)).toEqual([400]);
      expect(bare.map(({ status }) => status)).toEqual([400]);
    }
  });

  it('says what node says, whatever the head', async () => {
    const name = fc.constantFrom(
      'host',
      'Accept',
      'X-One',
      'x-two',
      'Content-Type',
      'Expect',
      'TE',
      'content-length',
      'Connection',
      'bad name',
      '',
    );
    const value = fc.oneof(
      fc.constantFrom('here', 'keep-alive', '2', ' spaced ', 'a\tb', 'a\nb', '\x01', 'é', ''),
      fc.string({ maxLength: 12 }),
    );
    // An empty line would end the head: what follows is a second request, held by the test below.
    const line = fc
      .tuple(name, fc.constantFrom(':', ': ', ' :', ''), value)
      .map((parts) => parts.join(''))
      .filter((text) => text !== '');
    const lines = fc.array(line, { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom('/x', '/é', '*', 'http://a/x', '/a b'), lines, async (url, more) => {
        const head = [`POST ${url} HTTP/1.1`, 'host: here', 'content-length: 2', ...more].join('\r\n');
        const text = Buffer.from(`${head}\r\n\r\n{}`, 'utf8');
        const [front, bare] = await Promise.all([tell(text, 1), tell(text, 1, both[1])]);
        const seen = (heard: Heard[]) =>
          heard.map(({ status, body }) => [status, body.replace(/^\{"by":"(plain|node)"/, '{')]);
        expect(seen(front)).toEqual(seen(bare));
      }),
      { numRuns: 300 },
    );
  });

  it('what comes after a whole request and is none is refused and hung up on', async () => {
    const text = 'POST /x HTTP/1.1\r\nhost: here\r\ncontent-length: 2\r\n\r\n\r\n{}';
    const told = await tell(text, 2);
    expect(told.map(({ status }) => status)).toEqual([200, 400]);
    expect(JSON.parse(told[0]?.body ?? '').body).toBe('\r\n');
    // Bare node refuses before its handler has answered, so the first answer may be lost there: the last is the same.
    expect((await tell(text, 1, both[1])).at(-1)?.status).toBe(400);
  });
});

describe('connections', () => {
  it('who sends half a request is told 408, who sends nothing more is kept', async () => {
    const server = await listen(() => {}, '127.0.0.1', 0, { ...LIMITS, requestMs: 60 }, { plain });
    const [half, idle] = [await open(server), await open(server)];
    half.write(post('/x', 'abc').slice(0, -1));
    const heard = answers(half, 1);
    idle.write(post('/x'));
    await answers(idle, 1);
    expect((await heard)[0]?.status).toBe(408);
    expect(idle.destroyed).toBe(false);
    half.destroy();
    await server.close();
  });

  it('an idle one is let go after its time, a busy one is not', async () => {
    const server = await listen(() => {}, '127.0.0.1', 0, { ...LIMITS, keepAliveMs: 60 }, { plain });
    const [idle, busy] = [await open(server), await open(server)];
    const gone = new Promise((done) => idle.once('close', done));
    idle.resume();
    idle.write(post('/x'));
    busy.write(post('/late'));
    const heard = answers(busy, 1);
    await gone;
    late.pop()?.();
    expect((await heard)[0]?.status).toBe(200);
    busy.destroy();
    await server.close();
  });

  it('a closing server answers what is under way and hangs up', async () => {
    const server = await listen(() => {}, '127.0.0.1', 0, { ...LIMITS, closeMs: 10_000 }, { plain });
    const [idle, busy] = [await open(server), await open(server)];
    idle.resume();
    busy.write(post('/late'));
    await expect.poll(() => late.length).toBe(1);
    const heard = answers(busy, 2);
    const closed = server.close();
    late.pop()?.();
    const answered = await heard;
    expect(answered).toHaveLength(1);
    expect(answered[0]?.head).toMatch(/connection: close/);
    await closed;
  });

  it('a client that has said all and shut its side still gets its answer', async () => {
    const socket = await open();
    const heard = answers(socket, 2);
    socket.end(post('/soon'));
    expect((await heard).map(by)).toEqual(['plain']);
  });

  it('a client that hangs up before its answer harms nobody', async () => {
    const socket = await open();
    socket.write(post('/late'));
    await expect.poll(() => late.length).toBe(1);
    socket.destroy();
    await sleep(20);
    late.pop()?.();
    expect(by((await tell(post('/x')))[0])).toBe('plain');
  });
});
