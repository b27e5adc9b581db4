/** One event stream on responses without a socket: what is kept, what is cut off. */
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { eventStream } from './event-stream.js';

describe('an event stream', () => {
  const response = (): ServerResponse => new ServerResponse(new IncomingMessage(new Socket()));
  const LIMITS = { bufferedBytes: 10_000, retryMs: 500 };

  it('cuts off a reader that does not keep up', () => {
    const carrier = response();
    const stream = eventStream(LIMITS);
    expect(stream.send('"too early"')).toBe(false);
    stream.carry(carrier);
    let sent = 0;
    while (stream.send(`"${'x'.repeat(1000)}"`)) sent += 1;
    expect(sent).toBeGreaterThan(5);
    expect(sent).toBeLessThan(20);
    expect([carrier.destroyed, stream.isCarried]).toEqual([true, false]);
  });

  it('keeps so many for a reader that is away, however small', () => {
    const stream = eventStream({ ...LIMITS, name: 's' });
    stream.carry(response());
    for (let i = 1; i <= 1000; i++) stream.send('1');
    const carrier = response();
    const written: string[] = [];
    carrier.write = (text: string) => written.push(text) > 0;
    stream.carry(carrier, 0);
    expect([written.length, written[0]?.split('\n')[0]]).toEqual([256, 'id: s-745']);
  });

  it('keeps so much for a reader that is away, and forgets the oldest first', () => {
    const stream = eventStream({ ...LIMITS, name: 's' });
    stream.carry(response());
    stream.hangUp();
    for (let i = 1; i <= 1000; i++) expect(stream.send(`"${String(i).padStart(98, '0')}"`)).toBe(true);
    stream.end('"last"');
    expect(stream.send('"after"')).toBe(false);
    const carrier = response();
    const written: string[] = [];
    carrier.write = (text: string) => written.push(text) > 0;
    stream.carry(carrier, 0);
    expect(written.length).toBeLessThanOrEqual(101);
    expect(written.at(-1)).toBe('id: s-1001\nevent: message\ndata: "last"\n\n');
    expect(carrier.writableEnded).toBe(true);
  });
});
