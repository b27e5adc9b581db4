/** The records of one kind: versions by name, found by name, version, hash or, for tasks, the last part of the name. */
import { TreadleError } from '../../errors.js';
import type { Json } from '../../kit/hash.js';
import type { RecordKind, RegistryRecord } from '../api.js';
import type { Change } from './log.js';
import { lastPart, nearNames, parseReference, type Reference } from './names.js';

/** Content that is there to be published once somebody asks for its name; see `Registry.offer`. */
export interface Pending {
  name: string;
  read: () => Json;
  source?: string | undefined;
}

interface Named {
  name: string;
  pending?: Pending | undefined;
  versions: RegistryRecord[];
  /** Where each version came from; see `Registry.publish`. */
  sources: (string | undefined)[];
}

/** Kinds whose records are also known by the last part of the name. */
const ENDING: ReadonlySet<RecordKind> = new Set(['task', 'verifier', 'scenario']);

const push = <K, V>(map: Map<K, V[]>, key: K, value: V): void => {
  const known = map.get(key);
  if (known) known.push(value);
  else map.set(key, [value]);
};

export class RecordTable {
  readonly #byName = new Map<string, Named>();
  readonly #byHash = new Map<string, Named[]>();
  readonly #byLast = new Map<string, Named[]>();

  constructor(readonly kind: RecordKind) {}

  /** The newest version of a name, deprecated or not; of one source where given. */
  newest(name: string, source?: string): RegistryRecord | undefined {
    const named = this.#byName.get(name);
    if (!named) return undefined;
    return source === undefined ? named.versions.at(-1) : named.versions[named.sources.lastIndexOf(source)];
  }

  add(name: string, hash: string, source?: string): RegistryRecord {
    const named = this.#named(name);
    const record = Object.freeze({ kind: this.kind, name, version: named.versions.length + 1, hash });
    if (!named.versions.some((old) => old.hash === hash)) push(this.#byHash, hash, named);
    // Most names have one version, and an array grown by push has room for seventeen.
    if (named.versions.length === 0) [named.versions, named.sources] = [[record], [source]];
    else {
      named.versions.push(record);
      named.sources.push(source);
    }
    return record;
  }

  offer(pending: Pending): void {
    this.#named(pending.name).pending = pending;
  }

  /** Takes the offer back: it was published. */
  settle(name: string): void {
    this.#named(name).pending = undefined;
  }

  /** What has to be published before `text` can be resolved. */
  pending(text: string): Pending | undefined {
    const reference = parseReference(text);
    if (reference === undefined || 'hash' in reference) return undefined;
    const exact = this.#byName.get(reference.name);
    if (exact) return exact.pending;
    const ending = this.#ending(reference.name);
    return ending.length === 1 ? ending[0]?.pending : undefined;
  }

  #named(name: string): Named {
    const known = this.#byName.get(name);
    if (known) return known;
    const made: Named = { name, versions: [], sources: [] };
    this.#byName.set(name, made);
    if (name.includes('/')) push(this.#byLast, lastPart(name), made);
    return made;
  }

  /** A task, and so its verifier, is also known by its id alone while that is unique; a scenario too. */
  #ending(last: string): Named[] {
    return ENDING.has(this.kind) ? (this.#byLast.get(last) ?? []) : [];
  }

  deprecate({ name, version }: RegistryRecord, because: string): RegistryRecord {
    const { versions } = this.#byName.get(name) as Named;
    const old = versions[version - 1] as RegistryRecord;
    if (old.deprecated) return old;
    const record = Object.freeze({ ...old, deprecated: Object.freeze({ because }) });
    versions[version - 1] = record;
    return record;
  }

  /** Throws `unknown_record`, `ambiguous`, `all_deprecated`. Pending ones must be published before. */
  resolve(text: string): RegistryRecord {
    const reference = parseReference(text);
    if (reference === undefined) throw this.#unknown(text, 'A reference is a name, name@version or a hash.');
    return 'hash' in reference ? this.#ofHash(reference.hash) : this.#ofName(reference);
  }

  /** What made this table: applied to an empty one in this order, they make the same. */
  changes(): Change[] {
    const { kind } = this;
    return [...this.#byName.values()].flatMap(({ name, versions, sources }) =>
      versions.flatMap(({ version, hash, deprecated }, i): Change[] => {
        const source = sources[i];
        const made: Change = { op: 'publish', kind, name, version, hash, ...(source === undefined ? {} : { source }) };
        if (!deprecated) return [made];
        return [made, { op: 'deprecate', kind, name, version, because: deprecated.because }];
      }),
    );
  }

  /** All versions of a name, or of all names, by name and version. */
  list(name?: string): RegistryRecord[] {
    if (name !== undefined) return [...(this.#byName.get(name)?.versions ?? [])];
    const names = [...this.#byName.keys()].sort();
    return names.flatMap((one) => this.#byName.get(one)?.versions ?? []);
  }

  /** Equal contents are one thing: the first that is not deprecated, else the first. */
  #ofHash(hash: string): RegistryRecord {
    const all = (this.#byHash.get(hash) ?? []).flatMap(({ versions }) => versions.filter((one) => one.hash === hash));
    const found = all.find(({ deprecated }) => !deprecated) ?? all[0];
    if (!found) throw this.#unknown(hash, 'Publish it first.');
    return found;
  }

  #ofName({ name, version }: Exclude<Reference, { hash: string }>): RegistryRecord {
    const named = this.#byName.get(name) ?? this.#alone(name);
    const { versions } = named;
    if (version !== undefined) {
      const found = versions[version - 1];
      if (!found) throw this.#unknown(`${named.name}@${version}`, `It has versions 1 to ${versions.length}.`);
      return found;
    }
    const found = versions.findLast(({ deprecated }) => !deprecated);
    if (found) return found;
    const said = versions.map((one) => `${one.version} (${one.deprecated?.because ?? ''})`).slice(-3);
    throw new TreadleError({
      code: 'all_deprecated',
      message: `All versions of ${this.kind} ${named.name} are deprecated: ${said.join(', ')}`,
      value: named.name,
      next: `Publish another version, or ask for one by number: ${named.name}@${versions.length}.`,
    });
  }

  #alone(name: string): Named {
    const found = this.#ending(name);
    if (found.length > 1) {
      const some = found.slice(0, 4).map((one) => one.name);
      throw new TreadleError({
        code: 'ambiguous',
        message: `${found.length} records of kind ${this.kind} end in ${name}`,
        value: name,
        next: `Say which: ${some.join(', ')}${found.length > some.length ? ' ...' : ''}.`,
      });
    }
    if (found[0]) return found[0];
    const near = nearNames(name, this.#byName.keys());
    throw this.#unknown(name, near.length > 0 ? `Did you mean ${near.join(', ')}?` : this.#few());
  }

  #few(): string {
    const some = [...this.#byName.keys()].slice(0, 3);
    return some.length > 0 ? `There is for example ${some.join(', ')}.` : `No ${this.kind} is published yet.`;
  }

  #unknown(value: unknown, next: string): TreadleError {
    const message = `The registry has no such ${this.kind}`;
    return new TreadleError({ code: 'unknown_record', message, value: String(value).slice(0, 160), next });
  }
}
