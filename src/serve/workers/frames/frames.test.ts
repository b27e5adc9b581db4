import { Duplex } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TreadleError } from '../../../errors.js';
import { sha256 } from '../../../kit/hash.js';
import { failureOf, failureText } from './failure.js';
import { type Frame, HEADS, KIND, type Kind, MOST_BYTES, nextId, PREFIX, type Sent } from './frame.js';
import { Link } from './link.js';
import { Outbox } from './outbox.js';
import { FrameReader } from './reader.js';

const KINDS = Object.values(KIND) as Kind[];

const piece = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.uint8Array({ maxLength: 60 }),
  // As large as those that are not copied.
  fc.integer({ min: 0, max: 140_000 }).map((n) => new Uint8Array(n).fill(n % 251)),
);

const sent: fc.Arbitrary<Sent> = fc.record({
  kind: fc.constantFrom(...KINDS),
  id: fc.integer({ min: 0, max: 0xffff_ffff }),
  number: fc.maxSafeNat(),
  head: fc.string({ unit: 'grapheme', maxLength: 300 }),
  body: fc.array(piece, { maxLength: 4 }),
});

const bytesOf = (body: Sent['body']): Buffer =>
  Buffer.concat(body.map((one) => (typeof one === 'string' ? Buffer.from(one) : one)));

/** Bodies by their address: comparing them byte by byte takes minutes. */
const plain = ({ body, ...rest }: Frame) => ({ ...rest, bytes: body.length, body: sha256(body) });

/** Text as it arrives: half of a surrogate pair does not. */
const arrived = ({ kind, id, number, head, body }: Sent) =>
  plain({ kind, id, number, head: Buffer.from(head).toString(), body: bytesOf(body) });

const read = (bytes: Buffer, cuts: readonly number[]): ReturnType<typeof plain>[] => {
  const reader = new FrameReader();
  const frames: ReturnType<typeof plain>[] = [];
  const at = [0, ...[...cuts].map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  for (let i = 1; i < at.length; i++)
    reader.feed(Buffer.from(bytes.subarray(at[i - 1], at[i])), (frame) => frames.push(plain(frame)));
  expect(reader.pending).toBe(0);
  return frames;
};

const written = (frames: readonly Sent[]): Buffer => {
  const outbox = new Outbox();
  for (const frame of frames) outbox.put(frame);
  const { size } = outbox;
  const bytes = Buffer.concat(outbox.take());
  expect(bytes.length).toBe(size);
  expect(outbox.size).toBe(0);
  return bytes;
};

const frame = (more: Partial<Sent> = {}): Sent => ({
  kind: KIND.notice,
  id: 1,
  number: 0,
  head: '{}',
  body: [],
  ...more,
});

describe('frames', () => {
  it('are the same however the stream is cut', () => {
    fc.assert(
      fc.property(fc.array(sent, { maxLength: 6 }), fc.array(fc.nat(), { maxLength: 20 }), (frames, cuts) => {
        expect(read(written(frames), cuts)).toEqual(frames.map(arrived));
      }),
      { numRuns: 60 },
    );
  });

  it('are the same byte by byte', () => {
    const frames = [frame({ head: 'ä€😀', body: ['x', new Uint8Array([0, 255])] }), frame({ head: '' })];
    const bytes = written(frames);
    expect(
      read(
        bytes,
        Array.from({ length: bytes.length }, (_, i) => i),
      ),
    ).toEqual(frames.map(arrived));
  });

  it('keep what was taken as it was while more is written', () => {
    const outbox = new Outbox();
    outbox.put(frame({ head: 'one' }));
    const first = outbox.take();
    const before = Buffer.concat(first);
    for (let i = 0; i < 9_000; i++) outbox.put(frame({ head: `later ${i}` }));
    expect(Buffer.concat(first)).toEqual(before);
    expect(read(Buffer.concat(outbox.take()), [])).toHaveLength(9_000);
  });

  it('that are too large are refused and leave nothing behind', () => {
    const outbox = new Outbox(200_000);
    for (const body of [[new Uint8Array(200_000)], ['x'.repeat(200_000)]])
      expect(() => outbox.put(frame({ body }))).toThrow(
        expect.objectContaining({ code: 'frame_too_large', value: expect.any(Number) }),
      );
    const small = new Outbox(100);
    expect(() => small.put(frame({ head: 'x'.repeat(90) }))).toThrow(
      expect.objectContaining({ code: 'frame_too_large' }),
    );
    small.put(frame());
    expect(read(Buffer.concat(small.take()), [])).toEqual([arrived(frame())]);
  });

  it('have their heads whether those were told before or not', () => {
    // Fewer heads than are remembered, about as many, and far more.
    const few = fc.integer({ min: 0, max: 5 });
    const many = fc.integer({ min: 0, max: 3 * HEADS });
    const one = fc.record({ kind: fc.constantFrom(...KINDS), n: fc.oneof(few, many), isLong: fc.boolean() });
    fc.assert(
      fc.property(fc.array(one, { maxLength: 60 }), fc.array(fc.nat(), { maxLength: 5 }), (ones, cuts) => {
        const frames = ones.map(({ kind, n, isLong }) =>
          frame({ kind, head: `ä${n}${'x'.repeat(isLong ? 3_000 : 0)}` }),
        );
        expect(read(written(frames), cuts)).toEqual(frames.map(arrived));
      }),
    );
    const round = Array.from({ length: 2 * HEADS + 10 }, (_, n) => frame({ kind: KIND.visit, head: `${n}` }));
    const all = [...round, ...round.slice(-20), ...round.slice(0, 20)];
    expect(read(written(all), [])).toEqual(all.map(arrived));
  });

  it('say a head that is known by its number', () => {
    const visit = frame({ kind: KIND.visit, head: 'h'.repeat(500) });
    expect(written([visit, visit, visit]).length).toBe(3 * PREFIX + 500);
  });

  it('whose head nobody told are refused', () => {
    const visit = frame({ kind: KIND.visit, head: 'known' });
    const second = written([visit, visit]).subarray(PREFIX + 5);
    expect(() => new FrameReader().feed(second, () => {})).toThrow(/nobody told the head/);
  });

  it('that were refused have told no head', () => {
    const small = new Outbox(100);
    const head = 'x'.repeat(50);
    expect(() => small.put(frame({ kind: KIND.visit, head, body: ['y'.repeat(90)] }))).toThrow(/more than 100/);
    small.put(frame({ kind: KIND.visit, head }));
    expect(read(Buffer.concat(small.take()), [])).toMatchObject([{ head }]);
  });

  it('read of random bytes are an error or need more, and nothing else', () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 90 }), { maxLength: 8 }), (chunks) => {
        const reader = new FrameReader();
        try {
          for (const chunk of chunks) reader.feed(Buffer.from(chunk), () => {});
          seen.add('more');
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(TreadleError);
          expect(thrown).toMatchObject({ code: 'bad_frame', fault: 'infrastructure' });
          seen.add('bad');
        }
      }),
      { numRuns: 500 },
    );
    expect([...seen].sort()).toEqual(['bad', 'more']);
  });

  it('of which one byte was changed are read as frames or refused', () => {
    const good = written([frame({ head: '{"a":1}', body: ['body'] }), frame({ id: 7 })]);
    fc.assert(
      fc.property(fc.nat(good.length - 1), fc.integer({ min: 1, max: 255 }), (at, by) => {
        const bytes = Buffer.from(good);
        bytes[at] = (bytes[at] as number) ^ by;
        try {
          new FrameReader().feed(bytes, ({ number, id }) => {
            expect(Number.isSafeInteger(number) && Number.isSafeInteger(id)).toBe(true);
          });
        } catch (thrown) {
          expect(thrown).toMatchObject({ code: 'bad_frame' });
        }
      }),
      { numRuns: 500 },
    );
  });

  it('that claim more than the limit are refused before they are waited for', () => {
    const claim = Buffer.alloc(PREFIX);
    claim[0] = 0x54;
    claim[1] = KIND.answer;
    claim.writeUInt32BE(MOST_BYTES, 8);
    expect(() => new FrameReader().feed(claim, () => {})).toThrow(/more than 134217728 bytes/);
  });

  it('have ids that come around', () => {
    expect(nextId(0)).toBe(1);
    expect(nextId(0xffff_ffff)).toBe(1);
  });
});

/** A stream whose other side is in the test's hands. */
const wire = () => {
  const out: Buffer[] = [];
  let held: (() => void) | undefined;
  let isHeld = false;
  const socket = new Duplex({
    read() {},
    write(chunk: Buffer, _, done) {
      out.push(chunk);
      if (isHeld) held = () => done();
      else done();
    },
    writev(chunks, done) {
      for (const { chunk } of chunks) out.push(chunk as Buffer);
      if (isHeld) held = () => done();
      else done();
    },
  });
  return {
    socket,
    out,
    hold: () => {
      isHeld = true;
    },
    free: () => {
      isHeld = false;
      held?.();
    },
  };
};

const round = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a link', () => {
  it('gathers what is sent in one go into one write', async () => {
    const { socket, out } = wire();
    const link = new Link(socket);
    link.open({ frame: () => {}, closed: () => {} });
    for (let i = 0; i < 50; i++) expect(link.send(frame({ id: i }))).toBe(true);
    await round();
    expect(out).toHaveLength(1);
    expect(read(out[0] as Buffer, []).map(({ id }) => id)).toEqual(Array.from({ length: 50 }, (_, i) => i));
  });

  it('closes at bytes that are no frame, says why, and takes nothing more', async () => {
    const { socket } = wire();
    const link = new Link(socket);
    const frames: Frame[] = [];
    const why: TreadleError[] = [];
    link.open({ frame: (one) => frames.push(one), closed: (error) => why.push(error) });
    socket.push(
      Buffer.concat([written([frame({ id: 3 })]), Buffer.from('GET / HTTP/1.1\r\nhost: somebody-else\r\n\r\n')]),
    );
    socket.push(written([frame({ id: 4 })]));
    await round();
    await round();
    expect(frames.map(({ id }) => id)).toEqual([3]);
    expect(why.map(({ code }) => code)).toEqual(['bad_frame']);
    expect(link.isClosed).toBe(true);
    expect(link.send(frame())).toBe(false);
  });

  it('is full while the other end does not read, and holds back where it is told to', async () => {
    const { socket, hold, free } = wire();
    const link = new Link(socket, { fullBytes: 1_000, holdsBack: true });
    link.open({ frame: () => {}, closed: () => {} });
    hold();
    for (let i = 0; i < 2; i++) {
      link.send(frame({ body: ['x'.repeat(20_000)] }));
      await round();
    }
    expect(link.isFull).toBe(true);
    expect(socket.isPaused()).toBe(true);
    free();
    await round();
    await round();
    expect(link.isFull).toBe(false);
    expect(socket.isPaused()).toBe(false);
  });

  it('gives up an end that reads nothing at all', async () => {
    const { socket, hold } = wire();
    const link = new Link(socket, { fullBytes: 1_000, stuckBytes: 50_000 });
    const why: string[] = [];
    link.open({ frame: () => {}, closed: ({ code, message }) => why.push(`${code} ${message}`) });
    hold();
    for (let i = 0; i < 4; i++) {
      link.send(frame({ body: ['x'.repeat(20_000)] }));
      await round();
    }
    expect(why).toEqual([expect.stringMatching(/^worker_link .*does not read/)]);
  });

  it('says that it broke also where it broke before anybody listened', () => {
    const { socket } = wire();
    const link = new Link(socket);
    socket.destroy();
    link.close();
    const why: string[] = [];
    link.open({ frame: () => {}, closed: ({ code }) => why.push(code) });
    expect(why).toEqual(['worker_link']);
  });
});

describe('a failure', () => {
  it('arrives as it was', () => {
    const error = new TreadleError({
      code: 'at_capacity',
      message: 'No room',
      value: { at: 7 },
      next: 'Wait.',
      fault: 'infrastructure',
      isRetryable: true,
    });
    const there = failureOf(JSON.parse(failureText(error)));
    expect(there).toBeInstanceOf(TreadleError);
    expect(there?.toJSON()).toEqual(error.toJSON());
  });

  it('arrives also with a value that JSON has no words for, or too many', () => {
    const round = (value: unknown): unknown =>
      failureOf(JSON.parse(failureText(new TreadleError({ code: 'x', message: 'm', value }))))?.value;
    const self: { self?: unknown } = {};
    self.self = self;
    expect(round(self)).toBe('[object Object]');
    expect(round(5n)).toBe('5');
    expect(String(round('y'.repeat(1_000_000))).length).toBe(65_536);
  });

  it('is none where the other end said something else', () => {
    for (const value of [
      null,
      1,
      'no',
      {},
      { code: 'x' },
      { code: 1, message: 'm', fault: 'input', isRetryable: false },
    ])
      expect(failureOf(value)).toBeUndefined();
  });
});
