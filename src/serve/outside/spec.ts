/** OutsideSpec: an MCP server of somebody else's that sessions may have an instance of, as data in the registry. */
import { z } from 'zod';
import { Name } from '../../artifacts/table.js';
import { TreadleError } from '../../errors.js';
import { deepFreeze } from '../../kit/hash.js';

/** Stands for the folder of the instance in arguments and in the environment. */
export const WORKSPACE = '{workspace}';

const text = z
  .string()
  .max(8_192)
  .refine((value) => !value.includes('\0'), 'holds a NUL character');

/** Runs as a process of its own, under our user and with no jail: only what one would run oneself. */
const Stdio = z.strictObject({
  command: text.min(1),
  args: z.array(text).max(256).default([]),
  env: z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), text).optional(),
});

const Http = z.strictObject({
  url: z.url({ protocol: /^https?$/ }),
  headers: z
    .record(z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/), z.string().regex(/^[\t\x20-\x7e\x80-\xff]*$/))
    .optional(),
});

/** What one knows of an instance's state: it has none, it is all in its folder, or one cannot say. */
export const Keeps = z.enum(['nothing', 'workspace', 'unknown']);

export const OutsideSpec = z
  .strictObject({
    treadle: z.literal('server/1'),
    id: Name,
    title: z.string().min(1).max(256),
    transport: z.union([z.strictObject({ stdio: Stdio }), z.strictObject({ http: Http })]),
    /** Only what keeps nothing or all in its folder can be forked and saved. */
    keeps: Keeps,
    /** Before every tool's name, where it would clash with another service's. */
    prefix: z
      .string()
      .regex(/^[a-zA-Z][a-zA-Z0-9_]{0,31}$/)
      .optional(),
    /** The server's tools that are offered, by its own names; all of them when absent. */
    tools: z.array(z.string().min(1).max(256)).min(1).max(512).optional(),
    startSeconds: z.number().positive().max(600).default(30),
    callSeconds: z.number().positive().max(3_600).default(60),
  })
  .refine((spec) => !('http' in spec.transport && spec.keeps === 'workspace'), {
    path: ['keeps'],
    message: "nothing is known of the folder behind a URL: use 'unknown' or 'nothing'",
  });

export type OutsideSpec = z.infer<typeof OutsideSpec>;

/** Parses and freezes; throws `bad_server` with the first offending path. */
export const parseOutsideSpec = (value: unknown): OutsideSpec => {
  const parsed = OutsideSpec.safeParse(value);
  if (parsed.success) return deepFreeze(parsed.data);
  const issue = parsed.error.issues[0];
  const at = issue?.path.join('.');
  throw new TreadleError({
    code: 'bad_server',
    message: `The description of the server is not valid${at ? ` at ${at}` : ''}: ${issue?.message ?? 'unknown'}`,
    value: at,
    next: 'Correct it',
  });
};
