/** What a protocol gives to a listener. */
import type { IncomingMessage, RequestListener } from 'node:http';
import type { Duplex } from 'node:stream';

export type UpgradeListener = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

export interface GymDoor {
  request: RequestListener;
  /** Absent: the door speaks no WebSocket, and an upgrade is an ordinary request. */
  upgrade?: UpgradeListener;
  /** Hangs up on sockets and closes the sessions that were opened here. */
  close(): Promise<void>;
}
