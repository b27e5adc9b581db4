/**
 * A session at rest: everything it holds but its ledger, as bytes: virtual clock, files, and each database's changed pages
 * compressed against the world's own (weft.txt 3.3.3, idle sessions). About 20 KB after a dozen calls.
 */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { TreadleError } from '../../errors.js';
import type { Json } from '../../kit/hash.js';
import type { LoadedService, LoadedWorld } from '../../world/loaded.js';
import { pack, unpack } from '../../world/state/parcel.js';
import type { FrozenState, State } from '../../world/state/state.js';
import { Workspace } from '../../world/workspace/workspace.js';
import type { Woven } from './woven.js';

const MAGIC = Buffer.from('TRDLSES1', 'latin1');

export interface Resting {
  states: ReadonlyMap<string, State | FrozenState>;
  workspace: Workspace;
  clock: number;
  woven?: Woven | undefined;
}

interface Header {
  clock: number;
  /** The state of what is woven into its calls. */
  woven?: Json;
  files: [string, string][];
  parcels: [string, number][];
}

const damaged = (why: string, cause?: unknown): TreadleError =>
  new TreadleError({
    code: 'bad_parcel',
    message: `The parked session cannot be read: ${why}`,
    fault: 'infrastructure',
    next: 'The session is lost; open another one.',
    cause,
  });

/** `world`: the one that it began on, with the rows of its task. */
export const packSession = (world: LoadedWorld, { states, workspace, clock, woven }: Resting): Uint8Array => {
  const pristine = (service: string): State => (world.services.get(service) as LoadedService).pristine;
  const parcels = [...states].map(([service, state]) => [service, pack(pristine(service), state)] as const);
  const header: Header = {
    clock,
    ...(woven ? { woven: woven.save() } : {}),
    files: [...workspace.files()],
    parcels: parcels.map(([service, bytes]) => [service, bytes.length]),
  };
  const head = deflateRawSync(JSON.stringify(header));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(head.length);
  return Buffer.concat([MAGIC, length, head, ...parcels.map(([, bytes]) => bytes)]);
};

const headerOf = (bytes: Buffer): { header: Header; at: number } => {
  if (bytes.length < 12 || !bytes.subarray(0, 8).equals(MAGIC)) throw damaged('it is none');
  const at = 12 + bytes.readUInt32BE(8);
  try {
    return { header: JSON.parse(inflateRawSync(bytes.subarray(12, at)).toString('utf8')) as Header, at };
  } catch (cause) {
    throw damaged('its head is damaged', cause);
  }
};

/** What was packed, as states of its own. Throws `bad_parcel` for damaged bytes or another world's. */
export const unpackSession = (
  world: LoadedWorld,
  parcel: Uint8Array,
): { states: Map<string, State>; workspace: Workspace; clock: number; woven: Json | undefined } => {
  const bytes = Buffer.from(parcel.buffer, parcel.byteOffset, parcel.length);
  const { header, at: start } = headerOf(bytes);
  const states = new Map<string, State>();
  let at = start;
  try {
    for (const [service, length] of header.parcels) {
      const loaded = world.services.get(service);
      if (!loaded || at + length > bytes.length) throw damaged(loaded ? 'it is cut off' : `${service} is not here`);
      states.set(service, unpack(loaded.pristine, bytes.subarray(at, at + length)));
      at += length;
    }
  } catch (thrown) {
    for (const state of states.values()) state.drop();
    throw thrown;
  }
  return { states, workspace: new Workspace(new Map(header.files)), clock: header.clock, woven: header.woven };
};

/** Several parcels in one, so that a session and its snapshots move together. */
export const bundle = (parcels: readonly Uint8Array[]): Uint8Array => {
  const lengths = Buffer.alloc(4 * (parcels.length + 1));
  [parcels.length, ...parcels.map(({ length }) => length)].forEach((word, i) => {
    lengths.writeUInt32BE(word, 4 * i);
  });
  return Buffer.concat([lengths, ...parcels]);
};

/** Throws `bad_parcel`. */
export const unbundle = (bundled: Uint8Array): Uint8Array[] => {
  const bytes = Buffer.from(bundled.buffer, bundled.byteOffset, bundled.length);
  const count = bytes.length >= 4 ? bytes.readUInt32BE(0) : 0;
  if (count < 1 || bytes.length < 4 * (count + 1)) throw damaged('it is cut off');
  let at = 4 * (count + 1);
  return Array.from({ length: count }, (_, i) => {
    const length = bytes.readUInt32BE(4 * (i + 1));
    if (at + length > bytes.length) throw damaged('it is cut off');
    at += length;
    return bytes.subarray(at - length, at);
  });
};
