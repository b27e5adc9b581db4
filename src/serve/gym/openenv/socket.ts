/** One WebSocket: messages are answered one by one in the order they came, and no faster than they are read. */
import type { RawData, WebSocket } from 'ws';
import { parseJson } from '../json-request.js';
import { readAction, readReset } from './actions.js';
import type { Environment } from './environment.js';
import type { Environments } from './environments.js';
import { errorMessage, observationMessage, readIncoming, rpcMessage, stateMessage, thrownMessage } from './messages.js';
import { answerRpc, rpcParseError } from './rpc.js';

/** Messages waiting at which a socket is read no further. */
const MOST_WAITING = 8;

export type Reply = string | 'close';
export type Answer = (text: string) => Promise<Reply>;

/** `/ws`: reset, step, state, close and mcp. */
export const gymAnswer =
  (environments: Environments, own: Environment): Answer =>
  async (text) => {
    const message = readIncoming(text);
    if ('refused' in message) return message.refused;
    const { type, data } = message;
    own.usedAt = environments.now();
    try {
      switch (type) {
        case 'reset':
          return observationMessage(await own.reset(readReset(data)));
        case 'step':
          return observationMessage(await own.step(readAction(data)));
        case 'state':
          return stateMessage(own.state());
        case 'close':
          return 'close';
        case 'mcp':
          return rpcMessage(await answerRpc({ environments, own }, data));
        default:
          return errorMessage('UNKNOWN_TYPE', `There is no message of type ${type.slice(0, 80)}`, {
            known: ['reset', 'step', 'state', 'close', 'mcp'],
          });
      }
    } catch (thrown) {
      return thrownMessage(thrown);
    }
  };

/** `/mcp`: bare JSON-RPC. */
export const rpcAnswer =
  (environments: Environments, own: Environment): Answer =>
  async (text) => {
    const parsed = parseJson(text);
    own.usedAt = environments.now();
    return JSON.stringify(
      'fault' in parsed ? rpcParseError(parsed.fault) : await answerRpc({ environments, own }, parsed.value),
    );
  };

export interface Heart {
  /** Something was heard, or an answer taken, since the last ping. */
  alive: boolean;
  /** A message is being answered: we are slow then, and not the peer. */
  working: boolean;
}

const textOf = (data: RawData): string =>
  (Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data as ArrayBuffer)).toString('utf8');

const sent = (socket: WebSocket, text: string): Promise<void> =>
  new Promise((resolve) => socket.send(text, () => resolve()));

/** Serves `socket` until it goes; `gone` is called once, then. */
export const serveSocket = (socket: WebSocket, answer: Answer, gone: () => void): Heart => {
  const heart: Heart = { alive: true, working: false };
  const waiting: string[] = [];
  let isBusy = false;

  const work = async (): Promise<void> => {
    if (isBusy) return;
    isBusy = true;
    for (let text = waiting.shift(); text !== undefined; text = waiting.shift()) {
      if (socket.readyState !== socket.OPEN) break;
      heart.working = true;
      const reply = await answer(text);
      heart.working = false;
      if (reply === 'close') {
        socket.close(1000);
        break;
      }
      // Until it is sent nothing further is answered: a peer that does not read must not fill our memory.
      await sent(socket, reply);
      heart.alive = true;
      if (socket.isPaused && waiting.length < MOST_WAITING) socket.resume();
    }
    isBusy = false;
  };

  socket.on('message', (data) => {
    heart.alive = true;
    waiting.push(textOf(data));
    if (waiting.length >= MOST_WAITING) socket.pause();
    void work();
  });
  socket.on('pong', () => {
    heart.alive = true;
  });
  // A frame that breaks the protocol or the size limit: ws answers it with a close of its own.
  socket.on('error', () => {});
  socket.once('close', () => {
    waiting.length = 0;
    gone();
  });
  return heart;
};
