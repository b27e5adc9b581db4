/** Decodes SQLite's record format (sqlite.org/fileformat2.html, section 2.1) without SQLite. */
import type { SqlValue } from './types.js';

/** Reads variable-length integers; `at` moves past what was read. */
export class Reader {
  bytes: Uint8Array = new Uint8Array(0);
  at = 0;

  /** A varint as a number; values beyond 2^53 come back rounded. */
  varint(): number {
    let value = 0;
    for (let i = 0; i < 8; i++) {
      const byte = this.bytes[this.at++] as number;
      if (byte < 0x80) return value * 128 + byte;
      value = value * 128 + (byte & 0x7f);
    }
    return Number(BigInt.asIntN(64, (BigInt(value) << 8n) | BigInt(this.bytes[this.at++] as number)));
  }

  /** A rowid: a number where that is exact, a bigint otherwise. */
  rowid(): number | bigint {
    const from = this.at;
    const value = this.varint();
    if (Number.isSafeInteger(value)) return value;
    let exact = 0n;
    for (let i = 0; i < 8; i++) {
      const byte = this.bytes[from + i] as number;
      exact = (exact << 7n) | BigInt(byte & 0x7f);
      if (byte < 0x80) return exact;
    }
    return BigInt.asIntN(64, (exact << 8n) | BigInt(this.bytes[from + 8] as number));
  }
}

const INT_BYTES = [0, 1, 2, 3, 4, 6, 8] as const;

const integer = (bytes: Uint8Array, at: number, size: number): number => {
  if (size === 8) return Number(Buffer.from(bytes.buffer, bytes.byteOffset + at, 8).readBigInt64BE());
  let value = ((bytes[at] as number) << 24) >> 24;
  for (let i = 1; i < size; i++) value = value * 256 + (bytes[at + i] as number);
  return value;
};

/** The stored values of one record, in column order. */
export const decodeRecord = (payload: Uint8Array): SqlValue[] => {
  const text = Buffer.from(payload.buffer, payload.byteOffset, payload.length);
  const header = new Reader();
  header.bytes = payload;
  const end = header.varint();
  const values: SqlValue[] = [];
  let at = end;
  while (header.at < end) {
    const kind = header.varint();
    if (kind === 0) values.push(null);
    else if (kind <= 6) {
      const size = INT_BYTES[kind] as number;
      values.push(integer(payload, at, size));
      at += size;
    } else if (kind === 7) {
      values.push(text.readDoubleBE(at));
      at += 8;
    } else if (kind <= 9) values.push(kind - 8);
    else {
      const size = (kind - (kind % 2 === 0 ? 12 : 13)) / 2;
      values.push(text.toString(kind % 2 === 0 ? 'hex' : 'utf8', at, at + size));
      at += size;
    }
  }
  return values;
};
