/** An immutable database image that any number of states share. */
import { TreadleError } from '../../errors.js';
import { sha256 } from '../../kit/hash.js';
import { readSchema, type Schema } from './schema.js';
import { read32, write32 } from './words32.js';

const MAGIC = 'SQLite format 3\u0000';
/** Where the header keeps the change counter and the version the page count is valid for. */
export const COUNTER_AT = 24;
export const VALID_FOR_AT = 92;

const NO_TABLES: Schema = { key: '', tables: new Map(), names: new Map(), usable: 0 };

const refuse = (message: string, value: unknown): never => {
  throw new TreadleError({
    code: 'bad_image',
    message,
    value,
    next: 'Give the bytes of a whole SQLite database file, checkpointed and with auto_vacuum off.',
  });
};

export class Base {
  #hash: string | undefined;
  #schema: Schema | undefined;

  private constructor(
    readonly image: Uint8Array,
    readonly pageSize: number,
    readonly pageCount: number,
    /** The change counter that every state of this base shows in its bytes. */
    readonly counter: number,
  ) {}

  /**
   * A base over a copy of `image`, a whole SQLite file. A WAL-mode image is turned to rollback mode and a stale page
   * count is set right, because both would keep it from opening. Throws `bad_image`.
   */
  static of(image: Uint8Array): Base {
    if (image.length < 512 || Buffer.from(image.buffer, image.byteOffset, 16).toString('latin1') !== MAGIC)
      refuse('The image is not a SQLite database', image.length < 512 ? `${image.length} bytes` : undefined);
    const stored = ((image[16] as number) << 8) | (image[17] as number);
    const pageSize = stored === 1 ? 65536 : stored;
    if (pageSize < 512 || (pageSize & (pageSize - 1)) !== 0) refuse('The image has an impossible page size', pageSize);
    if (image.length % pageSize !== 0) refuse('The image is cut off inside a page', `${image.length} bytes`);
    if (read32(image, 52) !== 0) refuse('The image uses auto_vacuum', undefined);
    if (read32(image, 56) > 1) refuse('The image is not in UTF-8', `encoding ${read32(image, 56)}`);
    const bytes = new Uint8Array(image);
    const pageCount = bytes.length / pageSize;
    bytes[18] = 1;
    bytes[19] = 1;
    if (read32(bytes, COUNTER_AT) !== read32(bytes, VALID_FOR_AT) || read32(bytes, 28) !== pageCount) {
      write32(bytes, VALID_FOR_AT, read32(bytes, COUNTER_AT));
      write32(bytes, 28, pageCount);
    }
    return new Base(bytes, pageSize, pageCount, read32(bytes, COUNTER_AT));
  }

  /** No pages at all: what a database is built on. */
  static empty(pageSize: number): Base {
    return new Base(new Uint8Array(0), pageSize, 0, 1);
  }

  /** SHA-256 of the image, computed once when asked. */
  get hash(): string {
    this.#hash ??= sha256(this.image);
    return this.#hash;
  }

  /** Tables, their columns and root pages, read from the image once when asked. */
  get schema(): Schema {
    this.#schema ??= this.pageCount === 0 ? NO_TABLES : readSchema(this.pageSize, (page) => this.page(page));
    return this.#schema;
  }

  /** The bytes of page `page`, counted from 1, shared and not copied. */
  page(page: number): Uint8Array {
    return this.image.subarray((page - 1) * this.pageSize, page * this.pageSize);
  }
}
