/** The contract of blobs over a real S3 server, and what only such a server says. */
import { hash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blobsContract, bytes, code, text } from '../contract.fixture.js';
import { openBlobs } from '../open.js';
import { botocoreSigns, hasMoto, type Moto, startMoto } from './moto.fixture.js';
import { escaped, queryOf, signed } from './sign.js';

describe.skipIf(!hasMoto())('on moto', () => {
  let moto: Moto;
  let strict: Moto;
  let stores = 0;
  beforeAll(async () => {
    [moto, strict] = await Promise.all([startMoto(false), startMoto(true)]);
  }, 240_000);
  afterAll(() => {
    moto?.stop();
    strict?.stop();
  });

  const place = (prefix: string, { bucket, endpoint }: Pick<Moto, 'bucket' | 'endpoint'> = moto): string =>
    `s3://${bucket}/${prefix}?endpoint=${encodeURIComponent(endpoint)}&region=us-east-1`;

  const open = () => openBlobs(place(`store-${stores++}/b+c=d@e`), { env: moto.env, page: 20 });
  blobsContract('S3', open, { many: 105, runs: 10 });

  it('keeps to its prefix, and to keys that are ours', async () => {
    const one = openBlobs(place('one'), { env: moto.env });
    const other = openBlobs(place('one-more'), { env: moto.env });
    const all = openBlobs(place(''), { env: moto.env });
    await one.put('k', bytes('one'));
    await other.put('k', bytes('other'));
    expect(await one.list('')).toEqual(['k']);
    expect(await all.list('one')).toEqual(['one-more/k', 'one/k']);
    const url = `${moto.endpoint}/${moto.bucket}/one/not%20ours`;
    expect((await fetch(url, { method: 'PUT', body: 'x' })).status).toBe(200);
    expect(await one.list('')).toEqual(['k']);
  });

  it('does not give back what somebody else put under one of our keys', async () => {
    const one = openBlobs(place('foreign'), { env: moto.env, patience: { firstMs: 1 } });
    const headers = { 'x-amz-meta-treadle-key': 'k' };
    await fetch(`${moto.endpoint}/${moto.bucket}/foreign/k`, { method: 'PUT', headers, body: 'x' });
    await expect(one.get('k')).rejects.toMatchObject({ code: 'blob_failed', isRetryable: false });
    await one.put('k', bytes('ours'));
    expect(await text(one, 'k')).toBe('ours');
  });

  it('signs what is checked', async () => {
    const blobs = openBlobs(place('', strict), { env: strict.env });
    await blobs.put('k', bytes('signed'));
    expect(await text(blobs, 'k')).toBe('signed');
    expect(await blobs.list('k')).toEqual(['k']);
    await blobs.delete('k');
    expect(await code(blobs.get('k'))).toBe('no_blob');
  });

  it('signs as botocore does', () => {
    const url = new URL(`https://host.example:8443/bucket/${['a+b=c@d', 'e.f'].map(escaped).join('/')}`);
    url.search = queryOf({ 'list-type': '2', prefix: 'a/+ ü*', 'continuation-token': 'a+b/c==' });
    const who = { accessKeyId: 'AKID', secretAccessKey: 'se/cret+', sessionToken: 'to+ken==' };
    const given = { 'x-amz-meta-treadle-key': 'a+b=c@d', 'content-type': 'application/octet-stream' };
    const body = 'some bytes';
    const headers = signed({ method: 'PUT', url, headers: given, body: bytes(body) }, who, 'eu-west-1', 1_800_000_000);
    const { authorization = '', ...rest } = headers;
    const theirs = botocoreSigns({
      method: 'PUT',
      url: url.href,
      headers: rest,
      body,
      id: who.accessKeyId,
      secret: who.secretAccessKey,
      token: who.sessionToken,
    });
    expect(authorization.split('Signature=')[1]).toBe(theirs);
  });

  it('is denied with a wrong secret, and says no secret', async () => {
    const env: Record<string, string> = { ...strict.env, AWS_SECRET_ACCESS_KEY: 'wrong/secret+that=nobody-shall-read' };
    const blobs = openBlobs(place('', strict), { env });
    const works = [
      () => blobs.get('k'),
      () => blobs.put('k', bytes('x')),
      () => blobs.list(''),
      () => blobs.delete('k'),
    ];
    for (const work of works) {
      const thrown = await work().then(
        () => undefined,
        (error: unknown) => error as Error & { code: string; line(): string },
      );
      expect(thrown?.code).toBe('blob_denied');
      const said = JSON.stringify([thrown, thrown?.line(), thrown?.stack, thrown?.cause]);
      expect(said).not.toMatch(/nobody-shall-read/);
      expect(said).not.toContain(strict.env.AWS_ACCESS_KEY_ID);
    }
  });

  it('says that a bucket is not there', async () => {
    const blobs = openBlobs(place('', { bucket: 'no-such-bucket', endpoint: moto.endpoint }), { env: moto.env });
    expect(await code(blobs.get('k'))).toBe('bad_blob_store');
    expect(await code(blobs.put('k', bytes('x')))).toBe('bad_blob_store');
    expect(await code(blobs.list(''))).toBe('bad_blob_store');
  });

  it('puts the same bytes twice as once', async () => {
    const blobs = openBlobs(place('twice'), { env: moto.env });
    const key = `sessions/s/1/1-${hash('sha256', 'x', 'hex')}`;
    await Promise.all([blobs.put(key, bytes('x')), blobs.put(key, bytes('x'))]);
    expect(await blobs.list('sessions/')).toEqual([key]);
  });
});
