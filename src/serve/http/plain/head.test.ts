import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HeadReader } from './head.js';

const plain = (length: string, more = ''): string =>
  `POST /mcp HTTP/1.1\r\nhost: a\r\nauthorization: Bearer x\r\ncontent-length: ${length}${more}`;

describe('the heads of one connection', () => {
  it('share their headers where only the length differs', () => {
    const heads = new HeadReader();
    const first = heads.read(plain('12'));
    expect(first).toMatchObject({ url: '/mcp', length: 12 });
    const second = heads.read(plain('1048'));
    expect(second).toMatchObject({ url: '/mcp', length: 1048, headers: { 'content-length': '1048' } });
    expect(second?.headers).toBe(first?.headers);
    expect(heads.read(plain('5').replace('Bearer x', 'Bearer y'))?.headers.authorization).toBe('Bearer y');
  });

  it.each(['', '01', '-1', '1 2', '12345678', '1\r\ncontent-length: 1', '1\r\nexpect: 100-continue', '0x1', '٣'])(
    'a length of %j is not plain, first or later',
    (length) => {
      expect(new HeadReader().read(plain(length))).toBeUndefined();
      const heads = new HeadReader();
      heads.read(plain('1'));
      expect(heads.read(plain(length))).toBeUndefined();
    },
  );

  it('are read as if each were the first', () => {
    const line = fc.constantFrom(
      'host: a',
      'host: b',
      'content-length: 0',
      'content-length: 17',
      'Content-Length:  170 ',
      'content-length: 1',
      'x-content-length: 17',
      'x: 17',
      'connection: close',
      'connection: keep-alive',
      'expect: 100-continue',
      ': 17',
      'x:17\r',
    );
    const head = fc
      .tuple(
        fc.constantFrom('POST /17 HTTP/1.1', 'POST /mcp HTTP/1.1', 'GET / HTTP/1.1'),
        fc.array(line, { maxLength: 5 }),
      )
      .map(([first, rest]) => [first, ...rest].join('\r\n'));
    let shared = 0;
    fc.assert(
      fc.property(fc.array(head, { maxLength: 8 }), fc.array(fc.nat(9_999_999), { maxLength: 8 }), (texts, lengths) => {
        const heads = new HeadReader();
        let before: unknown;
        const again = texts.flatMap((text) =>
          lengths.map((length) => text.replace(/(content-length: *)\d+/i, `$1${length}`)),
        );
        for (const text of [...texts, ...again]) {
          const read = heads.read(text);
          expect(read).toEqual(new HeadReader().read(text));
          if (read && read.headers === before) shared++;
          before = read?.headers;
        }
      }),
      { numRuns: 300 },
    );
    expect(shared).toBeGreaterThan(0);
  });
});
