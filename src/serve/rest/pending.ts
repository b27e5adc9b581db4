/** Bodies being read: how many and how many bytes they may grow to. Slow senders must not hold the server's memory. */
import type { IncomingMessage } from 'node:http';

/** Bytes that bodies under way may reach together. */
const BYTES = 268_435_456;

export interface BodyGate {
  /** A function that gives the place back (once), or undefined when there is none. It is given back when the client goes away, too. */
  enter(request: IncomingMessage, limit: number): (() => void) | undefined;
}

export const bodyGate = (most: number, mostBytes = BYTES): BodyGate => {
  let count = 0;
  let bytes = 0;
  return {
    enter: (request, limit) => {
      const length = request.headers['content-length'];
      const weight = length === undefined ? limit : Math.min(Number(length), limit);
      if (count >= most || (count > 0 && bytes + weight > mostBytes)) return undefined;
      count += 1;
      bytes += weight;
      let isIn = true;
      const release = (): void => {
        if (!isIn) return;
        isIn = false;
        count -= 1;
        bytes -= weight;
      };
      request.once('close', release);
      return release;
    },
  };
};
