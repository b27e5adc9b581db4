/** Lets a gym door listen: an HTTP server with our time limits that takes upgrades too. */
import { listen } from '../http/listen.js';
import { checkToken } from './access.js';
import type { GymDoor } from './door.js';
import type { GymLimits } from './limits.js';

export interface GymListening {
  /** `http://127.0.0.1:4711` */
  url: string;
  /** Hangs up, closes the sessions that were opened here, and ends. */
  close(): Promise<void>;
}

export interface ListenAt {
  host: string;
  port: number;
  token: string | undefined;
  limits: GymLimits;
}

/** Throws `token_needed`, `weak_token`, and `cannot_listen` when the address is taken or not ours. */
export const listenDoor = async (make: () => GymDoor, at: ListenAt): Promise<GymListening> => {
  const { host, port, token, limits } = at;
  checkToken(host, token);
  const door = make();
  try {
    const { origin, close } = await listen(door.request, host, port, limits, { upgrade: door.upgrade });
    return {
      url: origin,
      close: async () => {
        await Promise.all([close(), door.close()]);
      },
    };
  } catch (thrown) {
    await door.close();
    throw thrown;
  }
};
