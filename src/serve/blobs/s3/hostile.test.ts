/** An object store that is slow, down, cut off, lies or answers twice: nothing wrong is given back, nothing secret is said. */
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TreadleError } from '../../../errors.js';
import { type HandClock, handClock } from '../../durable/clock.fixture.js';
import type { Blobs } from '../blobs.js';
import { blobsContract, bytes, code, text } from '../contract.fixture.js';
import { openBlobs } from '../open.js';
import {
  answering,
  changed,
  cutMidway,
  doneButMute,
  type FakeS3,
  fakeS3,
  good,
  hangingUp,
  ofAnother,
  refusing,
  type Whim,
} from './fake-s3.fixture.js';

const ENV = {
  AWS_ACCESS_KEY_ID: 'AKIDNOBODYSHALLREAD',
  AWS_SECRET_ACCESS_KEY: 'secret/nobody+shall=read',
  AWS_SESSION_TOKEN: 'token//nobody+shall=read==',
};
/** Longer than any pause between tries, so that only `advance` ends a try. */
const TIMEOUT = 30_000;

let fake: FakeS3;
let clock: HandClock;
let blobs: Blobs;
beforeEach(async () => {
  fake = await fakeS3();
  clock = handClock(TIMEOUT - 1);
  blobs = openBlobs(`s3://bucket/p?endpoint=${fake.endpoint}`, { env: ENV, clock });
});
afterEach(() => fake.close());

const failure = async (work: Promise<unknown>): Promise<TreadleError> =>
  work.then(
    () => {
      throw new Error('nothing thrown');
    },
    (thrown: TreadleError) => thrown,
  );

const times = (count: number, whim: Whim): Whim[] => Array.from({ length: count }, () => whim);

describe('on a store that behaves', () => {
  blobsContract(
    'S3, our own fake',
    () => openBlobs(`s3://bucket/p?endpoint=${fake.endpoint}`, { env: ENV, clock, page: 20 }),
    {
      many: 105,
      runs: 20,
    },
  );

  it('lists thousands of keys, a thousand a page', async () => {
    await blobs.put('k0000', bytes('x'));
    const keys = Array.from({ length: 2_500 }, (_, i) => `k${String(i).padStart(4, '0')}`);
    for (const key of keys) fake.objects.set(`p/${key}`, fake.objects.get('p/k0000')!);
    fake.seen = [];
    expect(await blobs.list('')).toEqual(keys);
    expect(fake.seen.length).toBe(3);
  });
});

describe('tries again', () => {
  const PASSING: Record<string, Whim> = {
    'slow down': refusing(503, 'SlowDown'),
    'an internal error': refusing(500, 'InternalError'),
    'a bad gateway': answering(502, '<html>nginx</html>'),
    'too many requests': refusing(429, 'TooManyRequests'),
    'a connection that is closed': hangingUp,
    'a done thing whose answer is lost': doneButMute,
    'a body that was bad on the way': refusing(400, 'XAmzContentSHA256Mismatch'),
    'a 404 that S3 did not say': answering(404, '<html>no such route</html>'),
    'a page of somebody else': answering(200, '<html>please log in</html>'),
  };

  it.each(Object.entries(PASSING))('after %s, whatever was asked', async (_, whim) => {
    const work: [string, () => Promise<unknown>, unknown][] = [
      ['put', () => blobs.put('k', bytes('value')), undefined],
      ['get', () => text(blobs, 'k'), 'value'],
      ['list', () => blobs.list(''), ['k']],
    ];
    for (const [what, ask, wanted] of work) {
      fake.whims = [whim, whim, good];
      expect(await ask(), what).toEqual(wanted);
      expect(fake.whims, what).toEqual([]);
    }
    fake.whims = [whim];
    await blobs.delete('k');
    expect(await code(blobs.get('k'))).toBe('no_blob');
  });

  it('five times in all, with pauses that grow', async () => {
    fake.always = refusing(503, 'SlowDown');
    expect(await failure(blobs.put('k', bytes('x')))).toMatchObject({
      code: 'blob_failed',
      isRetryable: true,
      fault: 'infrastructure',
      value: '503 SlowDown',
    });
    expect(fake.seen.length).toBe(5);
    expect(clock.slept.length).toBe(4);
    for (const [i, most] of [100, 200, 400, 800].entries()) {
      expect(clock.slept[i]).toBeGreaterThanOrEqual(most / 2);
      expect(clock.slept[i]).toBeLessThanOrEqual(most);
    }
  });

  it('when the store says so, but does not sleep for a day because it says so', async () => {
    fake.whims = [
      refusing(503, 'SlowDown', { 'retry-after': '2' }),
      refusing(503, 'SlowDown', { 'retry-after': '86400' }),
    ];
    await blobs.put('k', bytes('x'));
    expect(clock.slept).toEqual([2_000, 5_000]);
  });

  it('not where it is no use', async () => {
    const final: [Whim, string][] = [
      [refusing(403, 'AccessDenied'), 'blob_denied'],
      [refusing(400, 'ExpiredToken'), 'blob_denied'],
      [refusing(401, ''), 'blob_denied'],
      [refusing(404, 'NoSuchBucket'), 'bad_blob_store'],
      [answering(301, '', { location: 'http://elsewhere.example/' }), 'bad_blob_store'],
      [refusing(400, 'AuthorizationHeaderMalformed'), 'bad_blob_store'],
      [refusing(400, 'EntityTooLarge'), 'blob_failed'],
      [refusing(501, 'NotImplemented'), 'blob_failed'],
      [refusing(507, 'InsufficientStorage'), 'disk_full'],
    ];
    for (const [whim, wanted] of final) {
      fake.seen = [];
      fake.whims = [whim];
      const thrown = await failure(blobs.put('k', bytes('x')));
      expect([thrown.code, thrown.isRetryable, fake.seen.length]).toEqual([wanted, wanted === 'disk_full', 1]);
    }
    expect(fake.objects.size).toBe(0);
  });
});

describe('time', () => {
  it('is limited for each try', async () => {
    fake.always = () => clock.advance(TIMEOUT + 1_000);
    expect(await failure(blobs.get('k'))).toMatchObject({
      code: 'blob_failed',
      isRetryable: true,
      value: 'no answer in time',
    });
    expect(fake.seen.length).toBe(5);
  });

  it('a store that is back is used again', async () => {
    fake.whims = [() => clock.advance(TIMEOUT + 1_000)];
    await blobs.put('k', bytes('x'));
    expect(await text(blobs, 'k')).toBe('x');
  });
});

describe('down', () => {
  it('nobody listens', async () => {
    await fake.close();
    for (const work of [
      () => blobs.get('k'),
      () => blobs.put('k', bytes('x')),
      () => blobs.list(''),
      () => blobs.delete('k'),
    ])
      expect(await failure(work())).toMatchObject({ code: 'blob_failed', isRetryable: true, value: 'ECONNREFUSED' });
  });

  it('no such host', async () => {
    const nowhere = openBlobs('s3://bucket?endpoint=http://no-such-host.invalid', {
      env: ENV,
      clock,
      patience: { tries: 1 },
    });
    expect(await failure(nowhere.get('k'))).toMatchObject({ code: 'blob_failed', isRetryable: true });
  });
});

describe('a get that is not what was put', () => {
  const half = (body: Buffer): Buffer => body.subarray(0, body.length / 2);
  const flipped = (body: Buffer): Buffer => Buffer.from(body.map((byte, i) => (i === 3 ? byte ^ 1 : byte)));
  const LIES: Record<string, Whim> = {
    'cut midway': cutMidway,
    'short, as if it were whole': changed(half),
    'empty, as if it were whole': changed(() => Buffer.alloc(0)),
    'longer than it was': changed((body) => Buffer.concat([body, Buffer.from('x')])),
    'one bit off': changed(flipped),
    'without its hash': changed((body) => body, ['x-amz-meta-treadle-sha256']),
    'short and without any of our words': changed(half, ['x-amz-meta-treadle-sha256', 'x-amz-meta-treadle-key']),
    'a part, as a part': ({ reply, apply }) =>
      answering(206, half(apply().body).toString(), apply().headers)({ reply } as never),
  };

  it.each(Object.entries(LIES))('%s: never given back, and read again', async (_, lie) => {
    await blobs.put('k', bytes('a blob of some length'));
    fake.whims = [lie, lie];
    expect(await text(blobs, 'k')).toBe('a blob of some length');
    fake.always = lie;
    expect((await failure(blobs.get('k'))).code).toBe('blob_failed');
  });

  it('of another key', async () => {
    await blobs.put('k', bytes('mine'));
    await blobs.put('other', bytes('other'));
    fake.always = ofAnother('p/other', fake);
    expect(await failure(blobs.get('k'))).toMatchObject({ code: 'blob_failed', isRetryable: false, value: 'k' });
  });

  it('without end', async () => {
    fake.always = answering(200, 'x', { 'content-length': String(2 ** 40) });
    expect(await failure(blobs.get('k'))).toMatchObject({ code: 'blob_failed', value: 'an answer without end' });
  });
});

describe('a list that is not whole', () => {
  const cut = changed((body) => body.subarray(0, body.length - 30));
  const LIES: Record<string, Whim> = {
    'cut midway': cutMidway,
    'cut off, as if it were whole': cut,
    'entries left out': changed((body) => Buffer.from(body.toString().replace(/<Contents>.*?<\/Contents>/, ''))),
    'goes on, but not where': changed((body) =>
      Buffer.from(body.toString().replace('<IsTruncated>false', '<IsTruncated>true')),
    ),
    'no word whether it goes on': changed((body) => Buffer.from(body.toString().replace(/<IsTruncated>.*?>/, ''))),
    'an entry without a key': changed((body) => Buffer.from(body.toString().replace(/<Key>.*?<\/Key>/, ''))),
    empty: answering(200, ''),
  };

  it.each(Object.entries(LIES))('%s: asked for again, never taken', async (_, lie) => {
    for (const key of ['a', 'b', 'c']) await blobs.put(key, bytes(key));
    fake.whims = [lie];
    expect(await blobs.list('')).toEqual(['a', 'b', 'c']);
    fake.always = lie;
    expect((await failure(blobs.list(''))).code).toBe('blob_failed');
  });

  it('of many pages, one of which fails for a while', async () => {
    const keys = Array.from({ length: 25 }, (_, i) => `k${String(i).padStart(2, '0')}`);
    for (const key of keys) await blobs.put(key, bytes(key));
    fake.pageSize = 4;
    fake.whims = [good, good, refusing(503, 'SlowDown'), hangingUp, good, good];
    expect(await blobs.list('')).toEqual(keys);
    fake.whims = [good, good, ...times(5, hangingUp)];
    expect(await code(blobs.list(''))).toBe('blob_failed');
  });

  it('that goes round in circles', async () => {
    fake.always = answering(
      200,
      '<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken></ListBucketResult>',
    );
    expect(await code(blobs.list(''))).toBe('blob_failed');
  });

  it('keys that stand there as XML has to write them', async () => {
    await blobs.put('a', bytes('x'));
    fake.objects.set('p/<&>', fake.objects.get('p/a')!);
    fake.always = changed((body) => Buffer.from(body.toString().replace('p/a<', '&#112;/&#x61;<')));
    expect(await blobs.list('')).toEqual(['a']);
  });
});

it('a put that is applied twice is one put', async () => {
  fake.whims = [doneButMute, good];
  await blobs.put('k', bytes('x'));
  expect(fake.seen.map(({ method }) => method)).toEqual(['PUT', 'PUT']);
  expect(await text(blobs, 'k')).toBe('x');
  fake.whims = [doneButMute, good];
  await blobs.delete('k');
  expect(await blobs.list('')).toEqual([]);
});

it('opens no more connections at once than it may', async () => {
  const few = openBlobs(`s3://bucket/p?endpoint=${fake.endpoint}`, { env: ENV, clock, most: 3 });
  fake.always = (moment) => setTimeout(() => good(moment), 2);
  await Promise.all(Array.from({ length: 30 }, (_, i) => few.put(`k${i}`, bytes('x'))));
  expect(fake.busiest).toBeLessThanOrEqual(3);
  expect((await few.list('')).length).toBe(30);
});

it('sends the secret nowhere, the token signed, and says neither', async () => {
  const said: string[] = [];
  const whims = [
    refusing(403, 'SignatureDoesNotMatch'),
    refusing(400, 'InvalidRequest'),
    ...times(5, refusing(500, 'x')),
  ];
  fake.whims = whims;
  for (const work of [() => blobs.get('k'), () => blobs.put('k', bytes('x')), () => blobs.list('')]) {
    const thrown = await failure(work());
    said.push(JSON.stringify(thrown), thrown.line(), String(thrown.stack), JSON.stringify(thrown.cause ?? ''));
  }
  said.push(JSON.stringify(blobs), String(Object.values(blobs)));
  expect(said.join('\n')).not.toMatch(/nobody.shall.read|NOBODYSHALLREAD/i);
  expect(fake.seen.length).toBe(7);
  for (const { url, headers } of fake.seen) {
    expect(JSON.stringify([url, headers])).not.toContain(ENV.AWS_SECRET_ACCESS_KEY);
    expect(headers['x-amz-security-token']).toBe(ENV.AWS_SESSION_TOKEN);
    expect(headers.authorization).toMatch(/SignedHeaders=[^,]*x-amz-security-token/);
  }
});

it('does what a map does on a store that fails now and then', async () => {
  const whim = fc.constantFrom<Whim>(good, good, hangingUp, doneButMute, refusing(503, 'SlowDown'), cutMidway);
  const step = fc.record({
    key: fc.constantFrom('a', 'a/b', 'b+c'),
    what: fc.constantFrom('put', 'delete', 'get', 'list'),
    value: fc.string(),
    // One try of five is always good: the model knows what is there.
    whims: fc.array(whim, { maxLength: 4 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      fake.objects.clear();
      const model = new Map<string, string>();
      for (const { key, what, value, whims } of steps) {
        fake.whims = whims;
        if (what === 'put') await blobs.put(key, bytes(value));
        if (what === 'put') model.set(key, Buffer.from(value).toString());
        if (what === 'delete') await blobs.delete(key);
        if (what === 'delete') model.delete(key);
        if (what === 'list') expect(await blobs.list('')).toEqual([...model.keys()].sort());
        if (what === 'get' && model.has(key)) expect(await text(blobs, key)).toBe(model.get(key));
        if (what === 'get' && !model.has(key)) expect(await code(blobs.get(key))).toBe('no_blob');
      }
    }),
    { numRuns: 20 },
  );
});
