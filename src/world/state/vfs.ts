/** The file system that SQLite sees: every open file is a slot, which shows whichever head it is bound to. */
import type { Head } from './head.js';
import type { Memory } from './memory.js';
import { EXCLUSIVE, Slot } from './slot.js';
import type { Wasm } from './wasm.js';

export const VFS_NAME = 'treadle';

const OK = 0;
const ERROR = 1;
const IOERR = 10;
const NOTFOUND = 12;
const CANTOPEN = 14;

/** The slots of one wasm instance, by the name they are opened with. */
export class Vfs {
  readonly #memory: Memory;
  readonly #waiting = new Map<string, Slot>();
  readonly #open = new Map<number, Slot>();
  #named = 0;
  /** The file that was last asked for: a statement asks for one again and again. */
  #lastFile = 0;
  #last: Slot | undefined;

  constructor(wasm: Wasm, memory: Memory) {
    this.#memory = memory;
    this.#install(wasm);
  }

  /** A new slot; open its `name` through this file system to read what it is bound to. */
  slot(): Slot {
    const slot = new Slot(`s${++this.#named}`);
    this.#waiting.set(slot.name, slot);
    return slot;
  }

  /** Lets go of every file after the instance broke; a state that was being written is lost with it. */
  abandon(): void {
    for (const slot of this.#open.values()) {
      if (slot.head && slot.lock >= EXCLUSIVE) slot.head.dropped = true;
      slot.release(0);
    }
    this.#open.clear();
    this.#forgetLast();
  }

  #forgetLast(): void {
    this.#lastFile = 0;
    this.#last = undefined;
  }

  #bound(file: number): Slot | undefined {
    if (file !== this.#lastFile) {
      this.#lastFile = file;
      this.#last = this.#open.get(file);
    }
    const slot = this.#last;
    return slot?.head && !slot.head.dropped ? slot : undefined;
  }

  // An exception must not pass through wasm frames, so every method answers one with IOERR.
  #install(wasm: Wasm): void {
    const { capi } = wasm.sqlite3;
    const memory = this.#memory;
    const io = new capi.sqlite3_io_methods();
    const vfs = new capi.sqlite3_vfs();
    Object.assign(io, { $iVersion: 1 });
    Object.assign(vfs, { $iVersion: 2, $szOsFile: 8, $mxPathname: 64 });
    const guard =
      (work: (a: number, b: number, c: number, d: number, e: number) => number) =>
      (a: number, b: number, c: number, d: number, e: number): number => {
        try {
          return work(a, b, c, d, e);
        } catch {
          return IOERR;
        }
      };
    // Called for every page: one function each, and nothing between it and the slot.
    const onPage =
      (work: (slot: Slot, page: number, at: number, buffer: number, length: number) => number) =>
      (file: number, buffer: number, length: number, offset: number): number => {
        try {
          const slot = this.#bound(file);
          if (!slot) return IOERR;
          const size = (slot.head as Head).base.pageSize;
          const from = Number(offset);
          const before = Math.floor(from / size);
          // The rest of a division of floating-point numbers is a call into the C library.
          return work(slot, before + 1, from - before * size, buffer, length);
        } catch {
          return IOERR;
        }
      };
    wasm.sqlite3.vfs.installVfs({
      io: {
        struct: io,
        methods: {
          xClose: guard((file) => {
            this.#open.get(file)?.release(0);
            this.#open.delete(file);
            this.#forgetLast();
            return OK;
          }),
          xRead: onPage((slot, page, at, buffer, length) => slot.read(page, at, length, memory.bytes, buffer)),
          xWrite: onPage((slot, page, at, buffer, length) => {
            slot.write(page, at, memory.view(buffer, length));
            return OK;
          }),
          xTruncate: guard((file, size) => {
            const slot = this.#bound(file);
            if (!slot) return IOERR;
            const head = slot.head as Head;
            head.truncate(Number(size) / head.base.pageSize);
            slot.seen = head.writes;
            return OK;
          }),
          xFileSize: guard((file, out) => {
            const head = this.#bound(file)?.head;
            if (!head) return IOERR;
            memory.write64(out, head.count * head.base.pageSize);
            return OK;
          }),
          xSync: guard(() => OK),
          xLock: guard((file, level) => this.#bound(file)?.take(level) ?? IOERR),
          xUnlock: guard((file, level) => {
            this.#open.get(file)?.release(level);
            return OK;
          }),
          xCheckReservedLock: guard((_file, out) => {
            memory.write32(out, 0);
            return OK;
          }),
          xFileControl: guard(() => NOTFOUND),
          // As small as a page can be: SQLite journals, dirties and writes all pages of a sector together, each copied by its session.
          xSectorSize: guard(() => 512),
          xDeviceCharacteristics: guard(() => 0),
        } as never,
      },
      vfs: {
        struct: vfs,
        name: VFS_NAME,
        asDefault: false,
        methods: {
          xOpen: guard((_vfs, name, file, flags, outFlags) => {
            const slot = this.#waiting.get(memory.cString(name) ?? '');
            // pMethods stays null after a refusal, which tells SQLite not to close the file.
            memory.write32(file, 0);
            if (!slot) return CANTOPEN;
            this.#waiting.delete(slot.name);
            this.#open.set(file, slot);
            this.#forgetLast();
            memory.write32(file, io.pointer as number);
            if (outFlags) memory.write32(outFlags, flags);
            return OK;
          }),
          xAccess: guard((_vfs, _name, _flags, out) => {
            memory.write32(out, 0);
            return OK;
          }),
          xDelete: guard(() => OK),
          xFullPathname: guard((_vfs, name, size, out) => {
            const text = memory.cString(name) ?? '';
            if (text.length + 1 > size) return CANTOPEN;
            memory.bytes.write(`${text}\u0000`, out, 'latin1');
            return OK;
          }),
          xRandomness: guard((_vfs, length, out) => {
            memory.bytes.fill(0, out, out + length);
            return length;
          }),
          xSleep: guard(() => OK),
          // No clock: date('now') answers null, because the time of a world is the session's virtual clock.
          xCurrentTime: guard(() => ERROR),
          xCurrentTimeInt64: guard(() => ERROR),
          xGetLastError: guard(() => OK),
        } as never,
      },
    });
  }
}
