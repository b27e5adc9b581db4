/** A session's private file tree: text files by normalised path, shared with its forks until one of them writes. */
import { TreadleError } from '../../errors.js';

const LIMITS = { pathLength: 255, depth: 16, fileLength: 1_048_576, files: 2_000, totalLength: 16_777_216 };

const bad = (message: string, value: string): TreadleError =>
  new TreadleError({ code: 'invalid_argument', message, value: value.slice(0, 80), fault: 'agent' });

const notFound = (path: string): TreadleError =>
  new TreadleError({ code: 'not_found', message: `There is no file '${path}'`, value: path, fault: 'agent' });

const CONTROL = /[\p{Cc}\\]/u;

/**
 * `/reports//q1.txt` -> `reports/q1.txt`. Throws `invalid_argument` for an empty path, `..`, a back slash, control characters,
 * or more than 255 characters or 16 folders.
 */
export const normalisedPath = (path: string): string => {
  if (path.length > LIMITS.pathLength) throw bad(`A path has at most ${LIMITS.pathLength} characters`, path);
  if (CONTROL.test(path)) throw bad('A path holds no back slashes or control characters', path);
  const parts = path
    .normalize('NFC')
    .split('/')
    .filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) throw bad(`The path '${path}' leads out of the workspace`, path);
  if (parts.length === 0) throw bad('A path must name a file', path);
  if (parts.length > LIMITS.depth) throw bad(`A path has at most ${LIMITS.depth} parts`, path);
  return parts.join('/');
};

/** Files are texts of at most 1 MiB, 2,000 files and 16 MiB in all. A fork is O(1); the first write after it copies the index. */
export class Workspace {
  #files: Map<string, string>;
  #length: number;
  #shared = false;
  #changes = 0;

  constructor(files: ReadonlyMap<string, string> = new Map()) {
    this.#files = new Map();
    this.#length = 0;
    for (const [path, text] of files) this.write(path, text);
  }

  /** Grows with everything written, moved, deleted or taken back. */
  get changes(): number {
    return this.#changes;
  }

  /** Throws `not_found`. */
  read(path: string): string {
    const at = normalisedPath(path);
    const text = this.#files.get(at);
    if (text === undefined) throw notFound(at);
    return text;
  }

  /** Creates or replaces a file. Throws `too_large`, or `conflict` where a folder stands in the way. */
  write(path: string, text: string): void {
    const at = normalisedPath(path);
    const before = this.#files.get(at);
    const length = this.#length - (before?.length ?? 0) + text.length;
    if (
      text.length > LIMITS.fileLength ||
      length > LIMITS.totalLength ||
      (before === undefined && this.#files.size >= LIMITS.files)
    )
      throw new TreadleError({
        code: 'too_large',
        message: `The workspace has no room for '${at}'`,
        value: at,
        fault: 'agent',
      });
    if (before === undefined) this.#refuseClash(at);
    this.#own().set(at, text);
    this.#length = length;
  }

  /** Throws `not_found`, or `conflict` when the new path is taken. */
  move(from: string, to: string): void {
    const source = normalisedPath(from);
    const target = normalisedPath(to);
    const text = this.read(source);
    if (source === target) return;
    if (this.#files.has(target))
      throw new TreadleError({
        code: 'conflict',
        message: `There is already a file '${target}'`,
        value: target,
        fault: 'agent',
      });
    this.#own().delete(source);
    try {
      this.#refuseClash(target);
    } catch (thrown) {
      this.#files.set(source, text);
      throw thrown;
    }
    this.#files.set(target, text);
  }

  /** Paths under a folder (all for an empty one), sorted. */
  list(prefix = ''): string[] {
    const trimmed = prefix.replaceAll(/^(\.?\/)+|\/+$|^\.$/g, '');
    const folder = trimmed === '' ? '' : `${normalisedPath(trimmed)}/`;
    return [...this.#files.keys()].filter((path) => path.startsWith(folder)).sort();
  }

  /** Throws `not_found`. */
  delete(path: string): void {
    const at = normalisedPath(path);
    const text = this.read(at);
    this.#own().delete(at);
    this.#length -= text.length;
  }

  /** An independent copy: neither side sees the other's later writes. */
  fork(): Workspace {
    const copy = new Workspace();
    copy.#files = this.#files;
    copy.#length = this.#length;
    copy.#shared = true;
    this.#shared = true;
    return copy;
  }

  /** A copy of the tree, paths sorted. */
  files(): Map<string, string> {
    return new Map([...this.#files].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Takes a tree back, as a call that failed must leave it: `to` is a fork made before. */
  restore(to: Workspace): void {
    this.#files = to.#files;
    this.#length = to.#length;
    this.#shared = true;
    to.#shared = true;
    this.#changes++;
  }

  #own(): Map<string, string> {
    this.#changes++;
    if (this.#shared) this.#files = new Map(this.#files);
    this.#shared = false;
    return this.#files;
  }

  /** A path cannot be both a file and a folder. */
  #refuseClash(path: string): void {
    const parts = path.split('/');
    const folders = parts.slice(1).map((_, i) => parts.slice(0, i + 1).join('/'));
    const blocked = folders.find((folder) => this.#files.has(folder));
    const taken = blocked ?? ([...this.#files.keys()].some((other) => other.startsWith(`${path}/`)) ? path : undefined);
    if (taken === undefined) return;
    const what = blocked === undefined ? 'a folder' : 'a file';
    throw new TreadleError({
      code: 'conflict',
      message: `'${taken}' is already ${what}`,
      value: taken,
      fault: 'agent',
    });
  }
}
