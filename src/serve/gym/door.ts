/** What a protocol gives to a listener. */
import type { RequestListener } from 'node:http';
import type { Upgrade } from '../http/listen.js';

export interface GymDoor {
  request: RequestListener;
  /** Absent: the door speaks no WebSocket, and an upgrade is an ordinary request. */
  upgrade?: Upgrade;
  /** Hangs up on sockets and closes the sessions that were opened here. */
  close(): Promise<void>;
}
