/** The seams between a worker and whoever makes its sessions survive. */
import { TreadleError } from '../../../errors.js';

/** Per session: nothing where it went well, else why not. */
export type Outcomes = ReadonlyMap<string, TreadleError | undefined>;

export interface Keeping {
  /** Takes sessions over that another worker had or released. What failed is lost: it is told to whoever asks for the session. */
  adopt(sessions: readonly string[]): Promise<Outcomes>;
  /** Ends sessions here and writes them, so that another worker can adopt them. What failed goes on here. */
  release(sessions: readonly string[]): Promise<Outcomes>;
  /** Everything acknowledged is written: the process ends next. */
  flush(): Promise<void>;
}

export const sessionLost = (session: string): TreadleError =>
  new TreadleError({
    code: 'session_lost',
    message: 'The session was lost when its worker ended: nothing of it had been written',
    value: session,
    next: 'Open another one.',
    fault: 'infrastructure',
  });

const cannotMove = (session: string): TreadleError =>
  new TreadleError({
    code: 'cannot_move',
    message: 'The session is kept nowhere but in its worker, so it cannot move to another',
    value: session,
    next: 'Serve with a data folder.',
    fault: 'infrastructure',
  });

/** Of a server that keeps nothing: sessions end with their worker, and say so. */
export const KEPT_NOWHERE: Keeping = {
  adopt: async (sessions) => new Map(sessions.map((id) => [id, sessionLost(id)])),
  release: async (sessions) => new Map(sessions.map((id) => [id, cannotMove(id)])),
  flush: async () => {},
};
