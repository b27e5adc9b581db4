/**
 * AWS Signature Version 4 in headers, the body's hash signed too (AWS, "Signature Calculations for the Authorization Header:
 * Transferring Payload in a Single Chunk"). Ours, since s3mini signs no session token on deletes and no body at all.
 */
import { createHmac, hash } from 'node:crypto';

export interface Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

export interface Unsigned {
  method: string;
  /** Its path and query are escaped by `escaped` and `queryOf`. */
  url: URL;
  /** Names in lower case; all of them are signed. */
  headers: Readonly<Record<string, string>>;
  body: Uint8Array;
}

/** Percent-escapes all but letters, digits and `-._~`. */
export const escaped = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);

/** In the order that is signed. */
export const queryOf = (parameters: Readonly<Record<string, string>>): string =>
  Object.entries(parameters)
    .map(([name, value]) => `${escaped(name)}=${escaped(value)}`)
    .sort()
    .join('&');

const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/** The headers to send, the given ones included; `host` is left to whoever sends. `seconds`: unix time. */
export const signed = (
  { method, url, headers, body }: Unsigned,
  { accessKeyId, secretAccessKey, sessionToken }: Credentials,
  region: string,
  seconds: number,
): Record<string, string> => {
  const instant = new Date(seconds * 1000).toISOString().replace(/[-:]|\.\d+/g, '');
  const day = instant.slice(0, 8);
  const bodyHash = hash('sha256', body, 'hex');
  const sent: Record<string, string> = {
    ...headers,
    'x-amz-content-sha256': bodyHash,
    'x-amz-date': instant,
    ...(sessionToken === undefined ? {} : { 'x-amz-security-token': sessionToken }),
  };
  const lines = Object.entries({ ...sent, host: url.host })
    .map(([name, value]): [string, string] => [name, value.trim()])
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const names = lines.map(([name]) => name).join(';');
  const canonical = [
    method,
    url.pathname,
    url.search.slice(1),
    ...lines.map(([name, value]) => `${name}:${value}`),
    '',
    names,
    bodyHash,
  ].join('\n');
  const scope = `${day}/${region}/s3/aws4_request`;
  const toSign = ['AWS4-HMAC-SHA256', instant, scope, hash('sha256', canonical, 'hex')].join('\n');
  const key = [day, region, 's3', 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`);
  const signature = hmac(key as Buffer, toSign).toString('hex');
  const authorization = `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope},SignedHeaders=${names},Signature=${signature}`;
  return { ...sent, authorization };
};
