/** What a worker's process serves: made by whoever knows what a corpus is. */
import type { FollowingRegistry } from '../../registry/registry.js';
import type { SessionServer } from '../../sessions/server/session-server.js';
import type { Welcome } from '../protocol.js';
import type { Rpc } from '../rpc/rpc.js';
import type { Keeping } from './keeping.js';

export interface WorkerHouse {
  /** `name#uuid`: of this process alone. */
  incarnation: string;
  server: SessionServer;
  registry: FollowingRegistry;
  /** Sessions end with the process when absent. */
  keeping?: Keeping | undefined;
  /** Reads ahead until nothing is left to read, or it is over; lets requests go first. */
  warm?: ((pace: { isOver(): boolean; isBusy(): boolean }) => Promise<void>) | undefined;
  /** Ends all that it made. Called once, after `keeping.flush`. */
  close(): Promise<void>;
}

/** Over `rpc` it can reach what the front alone has, such as ownership. */
export type MakeHouse = (name: string, welcome: Welcome, rpc: Rpc) => Promise<WorkerHouse>;
