/** Slots composed by several processes, a world's together. What each made is kept in the queue until all of it is written. */
import { fileURLToPath } from 'node:url';
import type { Corpus } from '../../../corpus/corpus.js';
import { addressOf, type Json } from '../../../kit/hash.js';
import { type Interrupt, noInterrupt } from '../../interrupt.js';
import { crew } from '../queue/crew.js';
import type { Queue } from '../queue/open.js';
import type { Done, Setup, Slot } from './protocol.js';

const CHILD = fileURLToPath(new URL('../../../../dist/cli/pipeline/compose/child.js', import.meta.url));

export interface Composing {
  corpus: Corpus;
  seed: string;
  jobs: number;
  wantsAccounts: boolean;
  queue: Queue;
  interrupt?: Interrupt | undefined;
  onDone?: ((done: number, kept: number) => void) | undefined;
}

export interface WorldSlots {
  world: string;
  slots: readonly Slot[];
}

/** See child.ts for why it is text. */
const doneOf = (text: Json): Done[] => JSON.parse(text as string) as Done[];

/** Throws what `crew` does; the same orders go on where they stopped. */
export const composeOrders = async (plan: Composing, orders: readonly WorldSlots[]): Promise<Done[]> => {
  const { corpus, seed, jobs, wantsAccounts, queue, onDone } = plan;
  const out: Done[] = [];
  const took = (text: Json): void => {
    const done = doneOf(text);
    out.push(...done);
    onDone?.(done.length, done.filter(({ task }) => task).length);
  };
  const worlds = orders.map(({ world }) => addressOf(corpus.readDescription(world).world));
  const filled = await queue.fill({
    settings: { seed, wantsAccounts, worlds, orders: orders as unknown as Json },
    items: orders.map(({ world, slots }) => ({ id: world, payload: slots as unknown as Json })),
    isMade: () => true,
  });
  for (const { result } of filled.before) took(result as Json);
  await crew({
    store: queue,
    filled,
    processes: jobs,
    program: CHILD,
    setup: { dir: corpus.dir, seed, wantsAccounts } satisfies Setup,
    interrupt: plan.interrupt ?? noInterrupt,
    came: () => `${out.length} slots of this round are composed`,
    what: 'worlds',
    onDone: (_, text) => took(text),
  });
  return out;
};
