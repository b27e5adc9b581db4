/**
 * The registry: services, worlds, tasks, verifiers, scenarios and outside servers as content-addressed records with versions 1, 2, 3 ... of
 * each name (weft.txt 3.3.3). A session pins what it resolved; publishing or deprecating later does not touch it.
 */
import { join } from 'node:path';
import { TreadleError } from '../../errors.js';
import { deepFreeze, type Json, withAddress } from '../../kit/hash.js';
import { RecordKind, type RegistryRecord } from '../api.js';
import { lockFolder } from '../blobs/lock.js';
import { type Content, type ContentCheck, checkContent, contentChecks, sameContent } from './contents.js';
import { type Change, type ChangeLog, openLog } from './log.js';
import { checkName, isHash } from './names.js';
import { type ByteStore, changedContent, folderBytes, memoryBytes } from './store.js';
import { type Pending, RecordTable } from './table.js';

/** Content that lies elsewhere: not read when it is published; whenever it is read, it must have this address. */
export interface LazyContent {
  hash: string;
  read(): Json;
  /** What had this address when it was made had passed its kind's schema, so that is not asked again. */
  isChecked?: boolean;
}

export interface Registry {
  /**
   * A new version of `name`; the newest version itself where its content is the same. Content equal to an older version becomes a
   * new version with that hash: publishing is how one goes back. With a `source` (such as `corpus`) content is compared with the
   * newest version of that source instead, so that a source that did not change says nothing new about a name others published since.
   * Throws `bad_name`, `bad_artifact`, `other_version`, `not_json`, `disk_full`; then nothing was published.
   */
  publish(kind: RecordKind, name: string, content: Json | LazyContent, source?: string): RegistryRecord;
  /** Content whose address nobody knows yet: published when its name is first resolved or listed; until then no list shows it. */
  offer(kind: RecordKind, name: string, read: () => Json, source?: string): void;
  /**
   * `name`: the newest version that is not deprecated; `name@3` and a hash: that one, deprecated or not; a task's or a scenario's id
   * without its world while it is unique. Throws `unknown_record`, `ambiguous`, `all_deprecated`.
   */
  resolve(kind: RecordKind, reference: string): RegistryRecord;
  /** Frozen. Throws as `resolve`, `changed_content`, and `no_content` when whoever published it lazily is gone. */
  read(kind: RecordKind, reference: string): Json;
  /** By name and version. */
  list(kind: RecordKind, name?: string): RegistryRecord[];
  /** A name alone means its newest version. Deprecating twice keeps the first reason. */
  deprecate(kind: RecordKind, reference: string, because: string): RegistryRecord;
  /** Contents and what worlds need beside them, by SHA-256. */
  readonly bytes: ByteStore;
  /** All changes so far: applied in this order they make the same records of another registry. */
  changes(): Change[];
  /** Hears of every change from now on, in order, when it is kept and before anybody is answered. Must not throw. */
  onChange(heard: (change: Change) => void): void;
  /** Publishes nothing more and lets go of the folder. Closing twice is allowed. */
  close(): void;
}

export interface RegistryOptions {
  /** Kept there and read again; in memory when absent. */
  folder?: string;
  /** The schema of outside servers; any JSON object when absent. */
  server?: ContentCheck;
  /** Every change waits for the disk: survives a loss of power, not only the death of the process. */
  sync?: boolean;
  /** It has no folder of its own: its records are another registry's. See `followRegistry`. */
  follows?: Followed;
}

export interface Followed {
  /** The other's contents, as far as this process can have them. */
  bytes: ByteStore;
  /** Everything read is kept in `bytes`, as a registry with a folder does. */
  isDurable: boolean;
  /** An offer was taken up here, and so the other registry shall take it up too. */
  settled(kind: RecordKind, name: string): void;
}

/** A registry that says what another one says. */
export interface FollowingRegistry extends Registry {
  /** What the other registry told, in its order; a change that is known is none. Throws `damaged_registry`. */
  apply(changes: readonly Change[]): void;
}

const LONGEST_REASON = 2_000;

const isLazy = (content: unknown): content is LazyContent =>
  typeof content === 'object' && content !== null && typeof (content as { read?: unknown }).read === 'function';

const notFollowing = (change: Change, why: string): TreadleError =>
  new TreadleError({
    code: 'damaged_registry',
    message: `A change of the registry that is followed ${why}`,
    value: `${change.kind} ${change.name}@${change.version}`,
    next: 'This process has missed a change: start it again.',
    fault: 'infrastructure',
  });

/** Where the process has no folder, nothing needs to be logged. */
const NO_LOG: ChangeLog = { append: () => undefined, close: () => undefined };

class OpenRegistry implements FollowingRegistry {
  readonly #tables: Record<RecordKind, RecordTable>;
  readonly #checks: Record<RecordKind, ContentCheck>;
  readonly #elsewhere = new Map<string, Omit<LazyContent, 'hash'>>();
  readonly #log: ChangeLog;
  readonly #release: () => void;
  readonly #durable: boolean;
  readonly #follows: Followed | undefined;
  readonly #heard: ((change: Change) => void)[] = [];
  readonly bytes: ByteStore;
  #closed = false;

  constructor({ folder, server, sync, follows }: RegistryOptions) {
    const tables = RecordKind.options.map((kind) => [kind, new RecordTable(kind)] as const);
    this.#tables = Object.fromEntries(tables) as Record<RecordKind, RecordTable>;
    this.#checks = contentChecks(server);
    this.#durable = follows?.isDurable ?? folder !== undefined;
    this.#follows = follows;
    this.#release = folder === undefined ? () => undefined : lockFolder(folder, 'registry', 'registry_failed');
    try {
      const own = (): ByteStore => (folder === undefined ? memoryBytes() : folderBytes(join(folder, 'contents'), sync));
      this.bytes = follows?.bytes ?? own();
      this.#log =
        folder === undefined ? NO_LOG : openLog(join(folder, 'log.jsonl'), (change) => this.#apply(change), sync);
    } catch (thrown) {
      this.#release();
      throw thrown;
    }
  }

  publish(kind: RecordKind, name: string, content: Json | LazyContent, source?: string): RegistryRecord {
    const table = this.#table(kind);
    checkName(name);
    if (isLazy(content)) {
      const hash = this.#checkHash(content.hash);
      this.#offerFirst(table, name);
      return this.#version(table, name, hash, source, () => this.#attach(content));
    }
    const { text, hash } = checkContent(this.#checks[kind], content);
    this.#offerFirst(table, name);
    return this.#version(table, name, hash, source, () => this.#keep(hash, text));
  }

  offer(kind: RecordKind, name: string, read: () => Json, source?: string): void {
    this.#table(kind).offer({ name: checkName(name), read, source });
  }

  resolve(kind: RecordKind, reference: string): RegistryRecord {
    const table = this.#table(kind);
    const pending = table.pending(reference);
    if (pending) this.#publishPending(table, pending);
    return table.resolve(reference);
  }

  read(kind: RecordKind, reference: string): Json {
    const { hash, name, version } = this.resolve(kind, reference);
    const lazy = this.#elsewhere.get(hash);
    const own = lazy && this.#own(kind, hash, lazy);
    if (own && 'value' in own) return own.value;
    const kept = this.#kept(hash);
    if (kept) return deepFreeze(JSON.parse(Buffer.from(kept).toString('utf8')) as Json);
    if (own) throw own.failure;
    throw new TreadleError({
      code: 'no_content',
      message: `The content of ${kind} ${name}@${version} is not here`,
      value: hash,
      next: 'Publish it again, or open the corpus it came from.',
      fault: 'infrastructure',
    });
  }

  /**
   * From where it lies, as long as that is what was published: what is kept here has its keys sorted, and tools answer in the order in
   * which a service's fields were written.
   */
  #own(kind: RecordKind, hash: string, lazy: Omit<LazyContent, 'hash'>): { value: Json } | { failure: unknown } {
    try {
      const { value, text, hash: found } = this.#checked(kind, hash, lazy);
      if (found !== hash) return { failure: changedContent(hash, found) };
      if (this.#durable) this.#keepIfRoom(text);
      return { value: withAddress(value, hash) };
    } catch (failure) {
      return { failure };
    }
  }

  list(kind: RecordKind, name?: string): RegistryRecord[] {
    const table = this.#table(kind);
    if (name !== undefined && table.pending(name)?.name === name) this.resolve(kind, name);
    return table.list(name);
  }

  deprecate(kind: RecordKind, reference: string, because: string): RegistryRecord {
    const table = this.#table(kind);
    const record = this.#newest(table, kind, reference);
    if (record.deprecated) return record;
    const reason = typeof because === 'string' ? because.trim() : '';
    if (reason === '' || reason.length > LONGEST_REASON) {
      throw new TreadleError({
        code: 'bad_reason',
        message: `A record is deprecated for a reason of 1 to ${LONGEST_REASON} characters`,
        value: typeof because === 'string' ? `${because.length} characters` : typeof because,
        next: 'Say why it should no longer be used.',
      });
    }
    const { name, version } = record;
    const change: Change = { op: 'deprecate', kind, name, version, because: reason };
    this.#log.append(change);
    const made = table.deprecate(record, reason);
    this.#tell(change);
    return made;
  }

  changes(): Change[] {
    return Object.values(this.#tables).flatMap((table) => table.changes());
  }

  onChange(heard: (change: Change) => void): void {
    this.#heard.push(heard);
  }

  apply(changes: readonly Change[]): void {
    for (const change of changes) {
      const why = this.#knows(change) ? undefined : this.#apply(change);
      if (why !== undefined) throw notFollowing(change, why);
    }
  }

  /** The offer that it was made of may have been taken up here first. */
  #knows(change: Change): boolean {
    const known = this.#tables[change.kind].list(change.name)[change.version - 1];
    return change.op === 'publish' ? known?.hash === change.hash : known?.deprecated !== undefined;
  }

  #tell(change: Change): void {
    for (const heard of this.#heard) heard(change);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#log.close();
    this.#release();
  }

  #table(kind: RecordKind): RecordTable {
    if (this.#closed) {
      const next = 'Open it again.';
      throw new TreadleError({ code: 'registry_closed', message: 'The registry is closed', next });
    }
    const known = RecordKind.safeParse(kind);
    if (known.success) return this.#tables[known.data];
    throw new TreadleError({
      code: 'unknown_kind',
      message: 'The registry keeps no records of that kind',
      value: String(kind).slice(0, 80),
      next: `Use one of ${RecordKind.options.join(', ')}.`,
    });
  }

  #publishPending(table: RecordTable, { name, read, source }: Pending): void {
    const { text, hash } = checkContent(this.#checks[table.kind], read());
    const attach = (): (() => void) => this.#attach({ hash, read });
    this.#version(table, name, hash, source, this.#durable ? () => this.#keep(hash, text) : attach, true);
    table.settle(name);
    this.#follows?.settled(table.kind, name);
  }

  /** What was offered before is an older version than what is published now; an offer that cannot be read is none. */
  #offerFirst(table: RecordTable, name: string): void {
    const pending = table.pending(name);
    if (pending?.name !== name) return;
    try {
      this.#publishPending(table, pending);
    } catch (thrown) {
      if ((thrown as TreadleError).code === 'disk_full') throw thrown;
      table.settle(name);
    }
  }

  /** Where all versions are deprecated, deprecating again is still an answer and no error. */
  #newest(table: RecordTable, kind: RecordKind, reference: string): RegistryRecord {
    try {
      return this.resolve(kind, reference);
    } catch (thrown) {
      const { code, value } = thrown as TreadleError;
      const newest = code === 'all_deprecated' ? table.newest(String(value)) : undefined;
      if (newest) return newest;
      throw thrown;
    }
  }

  /** Stores first, logs then, and knows it last: whatever fails leaves the registry as it was. */
  #version(
    table: RecordTable,
    name: string,
    hash: string,
    source: string | undefined,
    store: () => () => void,
    isOffer = false,
  ): RegistryRecord {
    const undo = store();
    const newest = table.newest(name, source);
    if (newest?.hash === hash) return newest;
    // Who follows has no versions of its own: what the other does not know nobody finds here. An offer makes the same version in
    // both registries, whoever takes it up first.
    if (this.#follows && !isOffer) return newest ?? Object.freeze({ kind: table.kind, name, version: 1, hash });
    const version = (table.newest(name)?.version ?? 0) + 1;
    const change: Change = { op: 'publish', kind: table.kind, name, version, hash, ...(source ? { source } : {}) };
    try {
      this.#log.append(change);
    } catch (thrown) {
      undo();
      throw thrown;
    }
    const made = table.add(name, hash, source);
    this.#tell(change);
    return made;
  }

  #checked(kind: RecordKind, hash: string, { read, isChecked }: Omit<LazyContent, 'hash'>): Content {
    const value = read();
    return (isChecked ? sameContent(value, hash) : undefined) ?? checkContent(this.#checks[kind], value);
  }

  #attach({ hash, ...lazy }: LazyContent): () => void {
    const before = this.#elsewhere.get(hash);
    this.#elsewhere.set(hash, lazy);
    return () => (before ? this.#elsewhere.set(hash, before) : this.#elsewhere.delete(hash));
  }

  #keep(hash: string, text: string): () => void {
    const isNew = !this.bytes.has(hash);
    this.bytes.put(Buffer.from(text));
    return () => isNew && this.bytes.delete(hash);
  }

  /** A damaged copy is no reason to refuse what can be had where it came from. */
  #kept(hash: string): Uint8Array | undefined {
    try {
      return this.bytes.get(hash);
    } catch (thrown) {
      if (this.#elsewhere.has(hash)) return undefined;
      throw thrown;
    }
  }

  /** A version that somebody used stays readable when its source moves on; a full disk costs only that. */
  #keepIfRoom(text: string): void {
    try {
      this.bytes.put(Buffer.from(text));
    } catch {
      // The content was read and is right: what asked for it gets it.
    }
  }

  #checkHash(hash: unknown): string {
    if (isHash(hash)) return hash;
    const next = 'Give the SHA-256 of the canonical JSON, in lower-case hex.';
    throw new TreadleError({ code: 'bad_hash', message: 'This is no content address', value: String(hash), next });
  }

  /** A change of the log; what is wrong with it where it does not follow from those before. */
  #apply(change: Change): string | undefined {
    const table = this.#tables[change.kind];
    if (change.op === 'publish') {
      if (change.version !== (table.newest(change.name)?.version ?? 0) + 1)
        return 'does not follow the version before it';
      table.add(checkName(change.name), change.hash, change.source);
      return undefined;
    }
    const record = table.list(change.name)[change.version - 1];
    if (!record) return 'deprecates what was never published';
    table.deprecate(record, change.because);
    return undefined;
  }
}

/** Throws `folder_in_use`, `damaged_registry`, `disk_full`, `registry_failed`. */
export const openRegistry = (options: Omit<RegistryOptions, 'follows'> = {}): Registry => new OpenRegistry(options);

/**
 * The records of another process's registry: `changes` are what it had, `apply` takes what it tells later. Publishing here, as a
 * corpus does when it is opened, only says where the contents of known records are. Throws `damaged_registry` for changes that do
 * not follow from one another.
 */
export const followRegistry = (
  follows: Followed,
  changes: readonly Change[],
  server?: ContentCheck,
): FollowingRegistry => {
  const registry = new OpenRegistry({ follows, ...(server ? { server } : {}) });
  registry.apply(changes);
  return registry;
};
