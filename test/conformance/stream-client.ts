/** A client that reads a response event by event while it lasts. */
import { request } from 'node:http';
import type { RawRequest } from '../e2e/mcp-raw.js';

export interface Event {
  id?: string;
  retry?: string;
  data: string;
}

export interface Reading {
  status: number;
  events: Event[];
  /** Comments that came between. */
  beats: number;
  /** Resolves with the events when there are so many, or when the stream ends. */
  until(count: number): Promise<Event[]>;
  ended: Promise<unknown>;
  hangUp(): void;
}

/** A response that is read event by event while it lasts. */
export const readEvents = (origin: string, raw: RawRequest): Promise<Reading> =>
  new Promise((resolve, reject) => {
    const { method = 'GET', headers = {}, body } = raw;
    const { hostname, port } = new URL(origin);
    const sent = request({ hostname, port, method, path: '/mcp', headers, agent: false }, (response) => {
      const events: Event[] = [];
      const waiting = new Set<() => void>();
      let text = '';
      let isOver = false;
      const wake = (): void => {
        for (const look of [...waiting]) look();
      };
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
        const parts = text.split('\n\n');
        text = parts.pop() ?? '';
        for (const part of parts) {
          const fields = Object.fromEntries(part.split('\n').map((line) => line.split(/: ?(.*)/s).slice(0, 2)));
          if ('data' in fields) events.push(fields as unknown as Event);
          else reading.beats += 1;
        }
        wake();
      });
      const ended = new Promise((done) => response.once('close', done));
      void ended.then(() => {
        isOver = true;
        wake();
      });
      const reading: Reading = {
        status: response.statusCode ?? 0,
        events,
        beats: 0,
        ended,
        hangUp: () => sent.destroy(),
        until: (count) =>
          new Promise((done) => {
            const look = (): void => {
              if (events.length < count && !isOver) return;
              waiting.delete(look);
              done(events);
            };
            waiting.add(look);
            look();
          }),
      };
      resolve(reading);
      response.on('error', () => {});
    });
    sent.on('error', reject);
    sent.end(body);
  });
