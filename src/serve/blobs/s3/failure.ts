/** What an object store says instead of doing what it was asked, as our errors. The store's own words stay out: they echo key ids. */
import { TreadleError } from '../../../errors.js';
import type { Answer } from './attempt.js';
import type { Setback } from './retry.js';

/** Told with 400, but about who asks. */
const DENIED = new Set(['ExpiredToken', 'InvalidToken', 'TokenRefreshRequired', 'InvalidAccessKeyId']);
const ELSEWHERE = new Set(['NoSuchBucket', 'PermanentRedirect', 'AuthorizationHeaderMalformed', 'InvalidBucketName']);
const FULL = new Set(['XMinioStorageFull', 'QuotaExceeded', 'InsufficientStorage']);
/** Told with 400 or 409, though the same request may do. */
const PASSING = new Set([
  'RequestTimeout',
  'BadDigest',
  'XAmzContentSHA256Mismatch',
  'IncompleteBody',
  'OperationAborted',
  'SlowDown',
]);
const NEVER = new Set([501, 505]);

const infrastructure = (
  code: string,
  message: string,
  value: string,
  next: string,
  isRetryable = false,
): TreadleError => new TreadleError({ code, message, value, next, fault: 'infrastructure', isRetryable });

/** S3's word for what went wrong; empty where it is not S3 that speaks. */
export const codeOf = ({ bytes }: Answer): string =>
  /<Code>([A-Za-z0-9.]{1,64})<\/Code>/.exec(Buffer.from(bytes.subarray(0, 4096)).toString('latin1'))?.[1] ?? '';

const afterMs = ({ headers }: Answer): { afterMs?: number } => {
  const seconds = headers.get('retry-after') ?? '';
  return /^\d{1,6}$/.test(seconds) ? { afterMs: Number(seconds) * 1000 } : {};
};

/** The store did not answer, or not with what it should have: worth another try, here and later. */
export const broken = (doing: string, system: string): Setback => ({
  error: infrastructure(
    'blob_failed',
    `Cannot ${doing}: the blob store did not answer as it should`,
    system,
    'See that the endpoint is up and can be reached, and try again; nothing that was kept before is lost.',
    true,
  ),
  again: true,
});

/** What came is not what was put, and stays so. An older copy is the way on, not another try. */
export const damaged = (key: string, why: string): Setback => ({
  error: infrastructure(
    'blob_failed',
    `The blob store gives back something else than was put: ${why}`,
    key,
    'Use an older blob; see what stands between this server and the store.',
  ),
  again: true,
});

export const tooLarge = (key: string, most: number): TreadleError =>
  infrastructure('blob_failed', 'This blob is larger than one may be', key, `Keep it below ${most} bytes.`);

const denied = (doing: string, said: string, code: string): TreadleError =>
  infrastructure(
    'blob_denied',
    `The blob store does not let us ${doing}`,
    said,
    code === 'RequestTimeTooSkewed'
      ? "Set this machine's clock: it is more than 15 minutes off the store's."
      : 'Check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, and that they may get, put, delete and list there.',
  );

/** For an answer that is not what was asked for. */
export const setbackOf = (answer: Answer, doing: string): Setback => {
  const { status } = answer;
  const code = codeOf(answer);
  const said = `${status} ${code}`.trim();
  if (FULL.has(code) || status === 507)
    return {
      error: infrastructure(
        'disk_full',
        `There is no room in the blob store: cannot ${doing}`,
        said,
        'Make room there; nothing that was kept before is lost.',
        true,
      ),
      again: false,
    };
  if (PASSING.has(code)) return { ...broken(doing, said), ...afterMs(answer) };
  if (status === 401 || status === 403 || DENIED.has(code)) return { error: denied(doing, said, code), again: false };
  if (ELSEWHERE.has(code) || (status >= 300 && status < 400))
    return {
      error: infrastructure(
        'bad_blob_store',
        'This bucket is not there',
        said,
        'Check the name of the bucket, its region and the endpoint.',
      ),
      again: false,
    };
  // Also 404 without S3's word for it: something else speaks, and "there is no such blob" is not to be concluded from that.
  const passing =
    status < 300 || status === 404 || status === 408 || status === 429 || (status >= 500 && !NEVER.has(status));
  if (passing) return { ...broken(doing, said), ...afterMs(answer) };
  return {
    error: infrastructure(
      'blob_failed',
      `Cannot ${doing}: the blob store refuses it`,
      said,
      'See that the endpoint speaks the S3 protocol.',
    ),
    again: false,
  };
};
