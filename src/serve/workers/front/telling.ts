/** The front's registry on its way to the workers: all of it to who comes, every change in order to who is there. */
import type { Json } from '../../../kit/hash.js';
import { RecordKind } from '../../api.js';
import type { Change } from '../../registry/log.js';
import type { Registry } from '../../registry/registry.js';
import type { Settled, Welcome } from '../protocol.js';
import type { Fleet } from './fleet.js';
import type { Worker } from './worker.js';

export interface TellingOptions {
  registry: Registry;
  /** Where the registry keeps contents, which workers read there; absent: they are sent. */
  contents: string | undefined;
}

export interface Telling {
  welcome(worker: Worker, about: { front: string; origin: string; house: Json }): Welcome;
  /** Resolves when every worker knows what changed so far, or has ended. */
  told(fleet: Fleet): Promise<unknown>;
  /** Tells these workers of every change from now on. */
  follow(fleet: Fleet): void;
}

export const telling = ({ registry, contents }: TellingOptions): Telling => {
  /** What nobody can read from a corpus or a folder. */
  const bytesOf = (change: Change): Uint8Array | undefined =>
    change.op === 'publish' && contents === undefined ? registry.bytes.get(change.hash) : undefined;
  return {
    welcome(worker, about) {
      worker.rpc.onNotice('keep', (_, bytes) => void registry.bytes.put(bytes));
      worker.rpc.onNotice('settled', (params) => {
        const [kind, name] = params as Settled;
        registry.resolve(RecordKind.parse(kind), name);
      });
      const changes = registry.changes();
      const texts = changes.flatMap((change) => {
        const bytes = bytesOf(change);
        return bytes ? [Buffer.from(bytes).toString('utf8')] : [];
      });
      return { ...about, changes, texts, ...(contents === undefined ? {} : { contents }) };
    },
    told: (fleet) => Promise.all([...fleet.workers].map(({ told }) => told)),
    follow(fleet) {
      registry.onChange((change) => {
        const bytes = bytesOf(change);
        for (const worker of fleet.workers) {
          if (!worker.isWelcomed) continue;
          // One that ended is told everything when it is started again.
          const asked = worker.rpc.request('registry', [change], bytes ? { bytes } : {}).catch(() => undefined);
          worker.told = Promise.all([worker.told, asked]);
        }
      });
    },
  };
};
