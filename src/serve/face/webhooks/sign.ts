/** Headers of a webhook: those that the document names, signed the way that their names stand for. */
import { createHmac } from 'node:crypto';
import type { HttpParam } from '../../../document/http.js';

export interface Signing {
  secret: string | undefined;
  /** The delivery's id. */
  id: string;
  event: string;
  /** Unix seconds of the wall clock: receivers compare it with theirs. */
  at: number;
  body: string;
}

type Encoding = 'hex' | 'base64';

const mac = (secret: string | Buffer, text: string, encoding: Encoding, hash = 'sha256'): string =>
  createHmac(hash, secret).update(text).digest(encoding);

/** Standard Webhooks: a secret that begins with `whsec_` is base64. */
const standardKey = (secret: string): string | Buffer =>
  secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : secret;

const standard = ({ id, at, body }: Signing, secret: string): string =>
  `v1,${mac(standardKey(secret), `${id}.${at}.${body}`, 'base64')}`;

/** By a header's name in lower case; the first that fits. */
const SIGNATURES: readonly (readonly [RegExp, (signing: Signing, secret: string) => string])[] = [
  [/^(webhook|svix)-signature$/, standard],
  [/^stripe-signature$/, ({ at, body }, secret) => `t=${at},v1=${mac(secret, `${at}.${body}`, 'hex')}`],
  [/^x-slack-signature$/, ({ at, body }, secret) => `v0=${mac(secret, `v0:${at}:${body}`, 'hex')}`],
  [/^x-hub-signature$/, ({ body }, secret) => `sha1=${mac(secret, body, 'hex', 'sha1')}`],
  [/-signature-256$/, ({ body }, secret) => `sha256=${mac(secret, body, 'hex')}`],
  [/hmac-sha256$/, ({ body }, secret) => mac(secret, body, 'base64')],
  [/signature|hmac/, ({ body }, secret) => mac(secret, body, 'hex')],
];

const OTHERS: readonly (readonly [RegExp, (signing: Signing) => string])[] = [
  [/timestamp$/, ({ at }) => String(at)],
  [/(event|topic|event-type)$/, ({ event }) => event],
  [/(id|delivery|guid)$/, ({ id }) => id],
];

const STANDARD = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];

/** Without a secret nothing is signed; with one, and where the document names no signature, it is signed as Standard Webhooks are. */
export const signedHeaders = (params: readonly HttpParam[], signing: Signing): Record<string, string> => {
  const { secret } = signing;
  const headers: Record<string, string> = {};
  const declared = params.filter((param) => param.in === 'header');
  const isSignature = (name: string): boolean => SIGNATURES.some(([pattern]) => pattern.test(name));
  const names = declared.map(({ name }) => name.toLowerCase());
  const wanted = secret === undefined || names.some(isSignature) ? names : [...names, ...STANDARD];
  for (const name of wanted) {
    const sign = SIGNATURES.find(([pattern]) => pattern.test(name));
    if (sign) {
      if (secret !== undefined) headers[name] = sign[1](signing, secret);
      continue;
    }
    const other = OTHERS.find(([pattern]) => pattern.test(name));
    const { example, required } = declared.find((param) => param.name.toLowerCase() === name) ?? {};
    if (other) headers[name] = other[1](signing);
    else if (typeof example === 'string' || typeof example === 'number') headers[name] = String(example);
    else if (required === true) headers[name] = signing.event;
  }
  return headers;
};
