/** A small S3 of our own, for what no real one does when it is asked to: slow, cut off, twice, wrong. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Kept {
  bytes: Buffer;
  meta: Record<string, string>;
}

export interface Moment {
  request: IncomingMessage;
  reply: ServerResponse;
  /** Key of the object, or empty. */
  key: string;
  /** What a good store would answer; a put or delete is applied by it. */
  apply(): { status: number; headers: Record<string, string>; body: Buffer };
}

/** What it does with one request. */
export type Whim = (moment: Moment) => void;

export interface FakeS3 {
  endpoint: string;
  objects: Map<string, Kept>;
  /** For the next requests, in order; good ones after that. */
  whims: Whim[];
  /** For every request that no whim is left for. */
  always: Whim;
  seen: { method: string; url: string; headers: IncomingMessage['headers'] }[];
  /** Objects on a page of a list. */
  pageSize: number;
  /** Most requests that were open at once. */
  busiest: number;
  close(): Promise<void>;
}

const send = (reply: ServerResponse, status: number, headers: Record<string, string>, body: Buffer | string): void => {
  reply.writeHead(status, { 'content-length': String(Buffer.byteLength(body)), ...headers }).end(body);
};

export const good: Whim = ({ reply, apply }) => {
  const { status, headers, body } = apply();
  send(reply, status, headers, body);
};

/** An S3 error, which also says what no log shall hold. */
export const refusing =
  (status: number, code: string, headers: Record<string, string> = {}): Whim =>
  ({ reply, request }) =>
    send(
      reply,
      status,
      headers,
      `<?xml version="1.0"?><Error><Code>${code}</Code><StringToSign>${request.headers.authorization}</StringToSign></Error>`,
    );

export const answering =
  (status: number, body: string, headers: Record<string, string> = {}): Whim =>
  ({ reply }) =>
    send(reply, status, headers, body);

/** Closes the connection, nothing done. */
export const hangingUp: Whim = ({ reply }) => {
  reply.destroy();
};

/** Does it, and closes the connection. */
export const doneButMute: Whim = ({ reply, apply }) => {
  apply();
  reply.destroy();
};

/** Half of the body, then closes the connection. */
export const cutMidway: Whim = ({ reply, apply }) => {
  const { status, headers, body } = apply();
  reply.writeHead(status, { ...headers, 'content-length': String(body.length) });
  reply.write(body.subarray(0, Math.floor(body.length / 2)), () => reply.destroy());
};

/** The answer with another body, that is well-formed HTTP. */
export const changed =
  (change: (body: Buffer) => Buffer, without: readonly string[] = []): Whim =>
  ({ reply, apply }) => {
    const { status, headers, body } = apply();
    const left = Object.fromEntries(Object.entries(headers).filter(([name]) => !without.includes(name)));
    send(reply, status, left, change(body));
  };

/** What is kept under another key. */
export const ofAnother =
  (key: string, { objects }: { objects: FakeS3['objects'] }): Whim =>
  ({ reply }) => {
    const { bytes, meta } = objects.get(key)!;
    send(reply, 200, { etag: '"x"', ...meta }, bytes);
  };

const escapeXml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

const notThere = (): ReturnType<Moment['apply']> => ({
  status: 404,
  headers: {},
  body: Buffer.from('<Error><Code>NoSuchKey</Code></Error>'),
});

const bodyOf = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
};

/** Its bucket is `bucket`. */
export const fakeS3 = async (): Promise<FakeS3> => {
  const objects: FakeS3['objects'] = new Map();
  let open = 0;

  const listed = (url: URL): Buffer => {
    const prefix = url.searchParams.get('prefix') ?? '';
    const after = url.searchParams.get('continuation-token') ?? '';
    const left = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > after).sort();
    const page = left.slice(0, Math.min(fake.pageSize, Number(url.searchParams.get('max-keys'))));
    const more = left.length > page.length;
    const entries = page.map((key) => `<Contents><Key>${escapeXml(key)}</Key><Size>1</Size></Contents>`).join('');
    const next = more ? `<NextContinuationToken>${escapeXml(page.at(-1)!)}</NextContinuationToken>` : '';
    return Buffer.from(
      `<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult xmlns="x"><Name>bucket</Name><KeyCount>${page.length}</KeyCount>` +
        `<IsTruncated>${more}</IsTruncated>${next}${entries}</ListBucketResult>`,
    );
  };

  const applied = (method: string, url: URL, key: string, request: IncomingMessage, body: Buffer) => {
    if (key === '') return { status: 200, headers: {}, body: listed(url) };
    if (method === 'PUT') {
      const meta = Object.entries(request.headers).filter(([name]) => name.startsWith('x-amz-meta-'));
      objects.set(key, { bytes: body, meta: Object.fromEntries(meta) as Record<string, string> });
      return { status: 200, headers: { etag: '"x"' }, body: Buffer.alloc(0) };
    }
    const kept = objects.get(key);
    if (method === 'DELETE') {
      objects.delete(key);
      return { status: 204, headers: {}, body: Buffer.alloc(0) };
    }
    return kept ? { status: 200, headers: { etag: '"x"', ...kept.meta }, body: kept.bytes } : notThere();
  };

  const server = createServer(async (request, reply) => {
    const { method = '', url: path = '' } = request;
    fake.busiest = Math.max(fake.busiest, ++open);
    reply.once('close', () => open--);
    const body = await bodyOf(request);
    const url = new URL(path, 'http://x');
    const key = decodeURIComponent(url.pathname.slice('/bucket'.length)).replace(/^\//, '');
    fake.seen.push({ method, url: path, headers: request.headers });
    const whim = fake.whims.shift() ?? fake.always;
    whim({ request, reply, key, apply: () => applied(method, url, key, request, body) });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const fake: FakeS3 = {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    objects,
    whims: [],
    always: good,
    seen: [],
    pageSize: 1000,
    busiest: 0,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return fake;
};
