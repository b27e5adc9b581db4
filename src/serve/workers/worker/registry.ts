/** The front's registry as a worker has it. */
import type { ContentCheck } from '../../registry/contents.js';
import { type FollowingRegistry, followRegistry } from '../../registry/registry.js';
import { followedBytes, memoryBytes } from '../../registry/store.js';
import type { Settled, Welcome } from '../protocol.js';
import type { Rpc } from '../rpc/rpc.js';

/** Throws `damaged_registry`. `server`: the schema of outside servers. */
export const registryOfFront = (
  { changes, contents, texts }: Welcome,
  rpc: Rpc,
  server?: ContentCheck,
): FollowingRegistry => {
  const isDurable = contents !== undefined;
  const bytes = isDurable ? followedBytes(contents, (one) => void rpc.notify('keep', null, one)) : memoryBytes();
  if (!isDurable) for (const text of texts) bytes.put(Buffer.from(text));
  const settled = (kind: string, name: string): void => {
    rpc.notify('settled', [kind, name] satisfies Settled);
  };
  return followRegistry({ bytes, isDurable, settled }, changes, server);
};
