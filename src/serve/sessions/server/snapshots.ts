/** A session's points to come back to, in use or compressed with it. */
import { randomBytes } from 'node:crypto';
import type { LoadedWorld } from '../../../world/loaded.js';
import type { ServedEntry } from '../../api.js';
import { type Book, plainBook } from '../book.js';
import { packSession, unpackSession } from '../parcel.js';
import { dropSnapshot, type Session, type SessionSnapshot } from '../session.js';
import type { SavedSnapshot } from './image.js';
import { unknownSnapshot } from './refusals.js';
import type { ServedBook } from './served-book.js';

type Kept = { book: Book; copies: string | undefined } & ({ live: SessionSnapshot } | { bytes: Uint8Array });

export class Snapshots {
  /** Made with the first: most sessions have none, and the server holds thousands. */
  #made: Map<string, Kept> | undefined;

  get #kept(): Map<string, Kept> {
    this.#made ??= new Map();
    return this.#made;
  }

  ids(): string[] {
    return [...(this.#made?.keys() ?? [])];
  }

  /** `copies`: folder with what outside servers and the sandbox had then. */
  take(session: Session, copies: string | undefined): string {
    const live = session.snapshot();
    const id = `snap_${randomBytes(6).toString('hex')}`;
    this.#kept.set(id, { live, book: live.book, copies });
    return id;
  }

  copiesOf(id: string): string | undefined {
    return this.#find(id).copies;
  }

  /** Throws `unknown_snapshot`, and then nothing has changed. */
  restore(session: Session, id: string): void {
    const kept = this.#find(id);
    const live = 'live' in kept ? kept.live : this.#thaw(session, kept);
    this.#kept.set(id, { live, book: kept.book, copies: kept.copies });
    session.restore(live);
  }

  /** Returns the folder that is now of no use. */
  drop(id: string): string | undefined {
    const kept = this.#find(id);
    if ('live' in kept) dropSnapshot(kept.live);
    else kept.book.drop();
    this.#kept.delete(id);
    return kept.copies;
  }

  /** Compresses every snapshot, in the order of `ids()`. `world`: the one the session began on. */
  freeze(world: () => LoadedWorld): Uint8Array[] {
    return [...(this.#made ?? [])].map(([id, kept]) => {
      if ('bytes' in kept) return kept.bytes;
      const bytes = packSession(world(), kept.live);
      // Its book stays; only the pages go.
      dropSnapshot({ ...kept.live, book: plainBook() });
      this.#kept.set(id, { bytes, book: kept.book, copies: kept.copies });
      return bytes;
    });
  }

  /** Their ids and ledgers, in the order of `ids()`; what each shares with the session's own is told by length. */
  saved(own: readonly ServedEntry[]): SavedSnapshot[] {
    if (this.#made === undefined) return [];
    const texts = own.map((entry) => JSON.stringify(entry));
    return [...this.#made].map(([id, { book }]) => {
      const entries = (book as ServedBook).served();
      const parted = entries.findIndex((entry, i) => JSON.stringify(entry) !== texts[i]);
      const shared = parted < 0 ? entries.length : parted;
      return { id, shared, more: entries.slice(shared) };
    });
  }

  /** One that another process kept; compressed. */
  giveSaved(id: string, book: Book, bytes: Uint8Array): void {
    this.#kept.set(id, { bytes, book, copies: undefined });
  }

  /** Lets go of the compressed bytes, which lie elsewhere until `giveBack`. */
  giveUp(): void {
    for (const [id, { book, copies }] of this.#made ?? [])
      this.#kept.set(id, { bytes: new Uint8Array(), book, copies });
  }

  giveBack(parcels: readonly Uint8Array[]): void {
    [...(this.#made ?? [])].forEach(([id, { book, copies }], i) => {
      this.#kept.set(id, { bytes: parcels[i] as Uint8Array, book, copies });
    });
  }

  #thaw({ world, woven }: Session, { bytes, book }: Kept & { bytes: Uint8Array }): SessionSnapshot {
    const { states, workspace, clock, woven: saved } = unpackSession(world, bytes);
    const frozen = new Map([...states].map(([service, state]) => [service, state.snapshot()]));
    for (const state of states.values()) state.drop();
    return { states: frozen, workspace, clock, book, woven: saved === undefined ? undefined : woven?.loaded(saved) };
  }

  #find(id: string): Kept {
    const kept = this.#kept.get(id);
    if (kept === undefined) throw unknownSnapshot(id, this.ids());
    return kept;
  }
}
