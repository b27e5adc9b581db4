/** What a garbage collector knows from one run of the server to the next, as a blob beside those that it watches. */
import { z } from 'zod';
import type { TreadleError } from '../../errors.js';
import type { Blobs } from '../blobs/blobs.js';

export interface Remembered {
  owner: string;
  /** Milliseconds by key. */
  ages: ReadonlyMap<string, number>;
}

export interface GarbageMemory {
  key: string;
  /** Undefined where there is none, or none that can be read: everything is watched from the start then. */
  read(): Promise<Remembered | undefined>;
  write(remembered: Remembered): Promise<void>;
}

const FORM = z.object({
  format: z.literal(1),
  owner: z.string(),
  ages: z.array(z.tuple([z.string(), z.number().min(0)])),
});

const parsed = (bytes: Uint8Array): Remembered | undefined => {
  try {
    const { owner, ages } = FORM.parse(JSON.parse(Buffer.from(bytes).toString('utf8')));
    return { owner, ages: new Map(ages) };
  } catch {
    return undefined;
  }
};

export const garbageMemory = (blobs: Blobs, prefix: string): GarbageMemory => {
  const key = `garbage/${prefix}seen`;
  return {
    key,
    async read() {
      try {
        return parsed(await blobs.get(key));
      } catch (thrown) {
        if ((thrown as TreadleError).code === 'no_blob') return undefined;
        throw thrown;
      }
    },
    write: ({ owner, ages }) =>
      blobs.put(key, Buffer.from(JSON.stringify({ format: 1, owner, ages: [...ages] } satisfies z.infer<typeof FORM>))),
  };
};
