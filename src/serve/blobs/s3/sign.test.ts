/** The examples that AWS publishes ("Signature Calculations for the Authorization Header", examples of Amazon S3). */
import { expect, it } from 'vitest';
import { escaped, queryOf, signed } from './sign.js';

const WHO = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' };
const WHEN = Date.UTC(2013, 4, 24) / 1000;

const signatureOf = (
  method: string,
  path: string,
  query: Record<string, string>,
  headers: Record<string, string> = {},
  body = '',
): string => {
  const url = new URL(`https://examplebucket.s3.amazonaws.com/${escaped(path)}`);
  url.search = queryOf(query);
  const sent = signed({ method, url, headers, body: Buffer.from(body) }, WHO, 'us-east-1', WHEN);
  return /Signature=(.*)$/.exec(sent.authorization!)![1]!;
};

it('a get', () => {
  expect(signatureOf('GET', 'test.txt', {}, { range: 'bytes=0-9' })).toBe(
    'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  );
});

it('a put of a key that must be escaped', () => {
  const headers = { date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' };
  expect(signatureOf('PUT', 'test$file.text', {}, headers, 'Welcome to Amazon S3.')).toBe(
    '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  );
});

it('a query without a value, and a list', () => {
  expect(signatureOf('GET', '', { lifecycle: '' })).toBe(
    'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
  );
  expect(signatureOf('GET', '', { prefix: 'J', 'max-keys': '2' })).toBe(
    '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  );
});

it('escapes all that AWS escapes', () => {
  expect(escaped("a+b=c@d e/f*(')!~-_.")).toBe('a%2Bb%3Dc%40d%20e%2Ff%2A%28%27%29%21~-_.');
  // In the order of the escaped names, not of these.
  expect(queryOf({ b: '1', a: ' ', 'a-': '' })).toBe('a-=&a=%20&b=1');
});
