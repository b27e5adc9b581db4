/**
 * The tables of a data folder, as the steps that made them: a folder of an older version goes through those that it lacks. A step
 * that was ever released is never changed. Types and statements are such that Postgres takes them too.
 */

/** Before the first step. Times in milliseconds of the store's clock. */
export const META = 'create table meta (name text primary key, value bigint not null)';

const WORKERS = `create table workers (
  incarnation text primary key, lease_ms bigint not null, lease_until bigint not null, dead integer not null)`;

/** `place`: the order of first claims. `head_...` are null together, and so are `previous_...`. */
const SESSIONS = `create table sessions (
  id text primary key, place bigint not null, owner text, gen bigint not null,
  head_key text, head_gen bigint, head_seq bigint,
  previous_key text, previous_gen bigint, previous_seq bigint)`;

/** `result` of one that waits is the error of its last attempt. */
const JOBS = `create table jobs (
  queue text not null, id text not null, place bigint not null, payload text not null, state text not null,
  attempt bigint not null, worker text, lease_until bigint, result text, primary key (queue, id))`;

export const MIGRATIONS: readonly (readonly string[])[] = [
  [
    WORKERS,
    SESSIONS,
    'create index sessions_by_owner on sessions (owner)',
    'create index sessions_by_place on sessions (place)',
    // Of reaping.
    "insert into meta (name, value) values ('rounds', 0)",
  ],
  [JOBS, 'create index jobs_by_state on jobs (queue, state, place)', 'create index jobs_by_place on jobs (place)'],
  // Attempts that do not count as tries.
  ['alter table jobs add column forgiven bigint not null default 0'],
];

export const VERSION = MIGRATIONS.length;
