/** `s3://bucket/prefix?endpoint=...&region=...`: where blobs go. Credentials come from the environment and are shown nowhere. */
import { TreadleError } from '../../../errors.js';
import { isKey } from '../keys.js';
import type { Credentials } from './sign.js';

export interface S3Address {
  bucket: string;
  /** Empty, or ends with `/`. */
  prefix: string;
  region: string;
  /** Of the bucket, without a last `/`. */
  url: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

const FORM = 's3://bucket/prefix?endpoint=https://host&region=name';
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const REGION = /^[A-Za-z0-9-]{1,64}$/;
/** Leaves half of S3's 1,024 bytes a key, and more, to our keys. */
const LONGEST_PREFIX = 256;

const refuse = (message: string, value: string | undefined, next: string): TreadleError =>
  new TreadleError({ code: 'bad_blob_store', message, value, next });

/** What may be shown of an address that is refused: whoever wrote a key into it shall not find it in a log. */
const shown = (text: string): string =>
  /[@:]/.test(text.slice('s3://'.length)) ? 's3://...' : (text.split(/[?#]/)[0] ?? '').slice(0, 120);

const parametersOf = (text: string, query: string): Map<string, string> => {
  const found = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(query)) {
    if ((name !== 'endpoint' && name !== 'region') || found.has(name))
      throw refuse(
        'The address of a blob store takes endpoint and region, once each',
        shown(text),
        `Write ${FORM}; credentials belong into AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.`,
      );
    found.set(name, value);
  }
  return found;
};

const endpointOf = (text: string): string => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url && /^https?:$/.test(url.protocol) && !url.username && !url.password && !url.search && !url.hash;
  if (!isPlain)
    throw refuse(
      'The endpoint of a blob store is no plain http(s) URL',
      undefined,
      'Give one without user, password and query, such as https://s3.eu-west-1.amazonaws.com.',
    );
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
};

/** Where AWS itself has it: in the host's name, unless a dot in the bucket's would break TLS. */
const awsUrl = (bucket: string, region: string): string => {
  const host = `s3.${region}.amazonaws.com`;
  return bucket.includes('.') ? `https://${host}/${bucket}` : `https://${bucket}.${host}`;
};

/** Throws `bad_blob_store`, which shows nothing that could be a secret. */
export const parseS3Address = (text: string, env: Environment): S3Address => {
  const [, bucket = '', path = '', query = ''] = /^s3:\/\/([^/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/.exec(text) ?? [];
  const prefix = path.replace(/\/$/, '');
  if (!BUCKET.test(bucket)) throw refuse('This names no bucket', shown(text), `Write ${FORM}.`);
  if (prefix !== '' && (!isKey(prefix) || prefix.length > LONGEST_PREFIX))
    throw refuse(
      'This prefix cannot stand before keys of blobs',
      shown(text),
      `Use parts of letters, digits and "_.=@+-", divided by "/", at most ${LONGEST_PREFIX} bytes.`,
    );
  const given = parametersOf(text, query);
  const region = given.get('region') ?? env.AWS_REGION ?? env.AWS_DEFAULT_REGION ?? 'us-east-1';
  if (!REGION.test(region))
    throw refuse('This is no name of a region', undefined, 'Write region=eu-west-1, or the like.');
  const endpoint = given.get('endpoint') ?? env.AWS_ENDPOINT_URL_S3 ?? env.AWS_ENDPOINT_URL;
  const url = endpoint ? `${endpointOf(endpoint)}/${bucket}` : awsUrl(bucket, region);
  return { bucket, prefix: prefix === '' ? '' : `${prefix}/`, region, url };
};

/** What can stand in a header, and in `Credential=ID/day/...`. */
const ID = /^[\w.~:@+-]{1,256}$/;
const SECRET = /^[\x21-\x7e]{1,8192}$/;

/** Throws `bad_blob_store`, naming variables, never values. Profiles and metadata services are not asked. */
export const credentialsOf = (env: Environment): Credentials => {
  const check = (name: string, form: RegExp): string => {
    const value = env[name];
    if (value !== undefined && form.test(value)) return value;
    throw refuse(
      value ? 'This variable holds no credential' : 'This variable, which an S3 blob store needs, is not set',
      name,
      'Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and AWS_SESSION_TOKEN for temporary ones.',
    );
  };
  return {
    accessKeyId: check('AWS_ACCESS_KEY_ID', ID),
    secretAccessKey: check('AWS_SECRET_ACCESS_KEY', SECRET),
    ...(env.AWS_SESSION_TOKEN ? { sessionToken: check('AWS_SESSION_TOKEN', SECRET) } : {}),
  };
};
