import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { TreadleError } from '../../errors.js';
import { bytes, text } from './contract.fixture.js';
import { memoryBlobs } from './memory.js';
import { openBlobs, probeBlobs } from './open.js';
import { credentialsOf, parseS3Address } from './s3/address.js';

const ENV = { AWS_ACCESS_KEY_ID: 'AKID', AWS_SECRET_ACCESS_KEY: 'hush/hush+hush=' };

const refusal = (work: () => unknown): TreadleError => {
  try {
    work();
  } catch (thrown) {
    return thrown as TreadleError;
  }
  throw new Error('nothing thrown');
};

describe('an address', () => {
  it('says bucket, prefix, region and endpoint', () => {
    const place = 's3://my-bucket/a/b.c?endpoint=https%3A%2F%2Fhost.example%3A9000%2Fs3%2F&region=eu-west-1';
    expect(parseS3Address(place, {})).toEqual({
      bucket: 'my-bucket',
      prefix: 'a/b.c/',
      region: 'eu-west-1',
      url: 'https://host.example:9000/s3/my-bucket',
    });
  });

  it('is AWS where it names no endpoint, and takes the usual variables', () => {
    expect(parseS3Address('s3://my-bucket', {})).toEqual({
      bucket: 'my-bucket',
      prefix: '',
      region: 'us-east-1',
      url: 'https://my-bucket.s3.us-east-1.amazonaws.com',
    });
    expect(parseS3Address('s3://my.bucket/', { AWS_REGION: 'eu-west-3' }).url).toBe(
      'https://s3.eu-west-3.amazonaws.com/my.bucket',
    );
    expect(parseS3Address('s3://my-bucket', { AWS_DEFAULT_REGION: 'r', AWS_ENDPOINT_URL: 'http://h:1' })).toMatchObject(
      {
        region: 'r',
        url: 'http://h:1/my-bucket',
      },
    );
    expect(
      parseS3Address('s3://my-bucket?region=x', {
        AWS_REGION: 'y',
        AWS_ENDPOINT_URL_S3: 'http://s3',
        AWS_ENDPOINT_URL: 'http://h',
      }),
    ).toMatchObject({ region: 'x', url: 'http://s3/my-bucket' });
  });

  it.each([
    's3://',
    's3://B',
    's3://Bucket',
    's3://bucket_name',
    's3://-bucket',
    's3://bucket/a//b',
    's3://bucket/../b',
    's3://bucket/a%20b',
    `s3://bucket/${'p'.repeat(200)}/${'p'.repeat(100)}`,
    's3://bucket#x',
    's3://AKID:hush/hush@bucket/x',
    's3://AKID:hush@bucket/x',
    's3://hush@bucket/x',
    's3://bucket:9000/x',
    's3://bucket?hush=1',
    's3://bucket?accessKeyId=AKID&secretAccessKey=hush',
    's3://bucket?region=eu&region=us',
    's3://bucket?region=hush%0a',
    's3://bucket?endpoint=ftp://host',
    's3://bucket?endpoint=host',
    's3://bucket?endpoint=http://AKID:hush@host',
    's3://bucket?endpoint=http://host?hush=1',
    's3://bucket?endpoint=http://host%23hush',
    'gs://AKID:hush@bucket',
    'http://host/bucket?hush',
    '',
    '  ',
  ])('refuses %j and repeats no secret of it', (where) => {
    const thrown = refusal(() => openBlobs(where, { env: ENV }));
    expect(thrown.code).toBe('bad_blob_store');
    expect(thrown.fault).toBe('input');
    expect(`${thrown.line()} ${JSON.stringify(thrown)} ${thrown.stack}`).not.toMatch(/hush|AKID/);
  });
});

describe('credentials', () => {
  it('come from the environment', () => {
    expect(credentialsOf(ENV)).toEqual({ accessKeyId: 'AKID', secretAccessKey: 'hush/hush+hush=' });
    expect(credentialsOf({ ...ENV, AWS_SESSION_TOKEN: 't//t==' }).sessionToken).toBe('t//t==');
    expect(credentialsOf({ ...ENV, AWS_SESSION_TOKEN: '' })).not.toHaveProperty('sessionToken');
  });

  it.each([
    ['AWS_ACCESS_KEY_ID', {}],
    ['AWS_SECRET_ACCESS_KEY', { AWS_ACCESS_KEY_ID: 'AKID' }],
    ['AWS_SECRET_ACCESS_KEY', { ...ENV, AWS_SECRET_ACCESS_KEY: '' }],
    ['AWS_SECRET_ACCESS_KEY', { ...ENV, AWS_SECRET_ACCESS_KEY: 'hush\n' }],
    ['AWS_ACCESS_KEY_ID', { ...ENV, AWS_ACCESS_KEY_ID: 'AKID/x, Signature=hush' }],
    ['AWS_SESSION_TOKEN', { ...ENV, AWS_SESSION_TOKEN: 'hush hush' }],
  ])('refuses what cannot be %s, by its name', (name, env) => {
    const thrown = refusal(() => openBlobs('s3://bucket', { env }));
    expect(thrown).toMatchObject({ code: 'bad_blob_store', value: name });
    expect(`${thrown.line()} ${thrown.stack}`).not.toMatch(/hush|AKID/);
  });
});

it('opens a folder', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'treadle-open-'));
  try {
    const where = join(folder, 'a@b', 'blobs');
    await openBlobs(where).put('k', bytes('x'));
    expect(await text(openBlobs(where, { sync: true }), 'k')).toBe('x');
    writeFileSync(join(folder, 'file'), '');
    expect(refusal(() => openBlobs(join(folder, 'file'))).code).toBe('blob_failed');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

describe('a probe', () => {
  it('leaves nothing behind', async () => {
    const blobs = memoryBlobs();
    await probeBlobs(blobs);
    expect(await blobs.list('')).toEqual([]);
  });

  it('says what the store says, and what it does not show', async () => {
    const blobs = memoryBlobs();
    const denied = async (): Promise<never> => {
      throw Object.assign(new Error('no'), { code: 'blob_denied' });
    };
    for (const method of ['put', 'get', 'list', 'delete'] as const)
      await expect(probeBlobs({ ...blobs, [method]: denied })).rejects.toMatchObject({ code: 'blob_denied' });
    await expect(probeBlobs({ ...blobs, list: async () => [] })).rejects.toMatchObject({ code: 'blob_failed' });
    await expect(probeBlobs({ ...blobs, get: async () => bytes('other') })).rejects.toMatchObject({
      code: 'blob_failed',
    });
  });
});
