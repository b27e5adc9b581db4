/** Server-sent events, as they come in over a connection. */
import { StringDecoder } from 'node:string_decoder';

/** One event's data may not grow without end. */
const LONGEST_EVENT = 32 * 1024 * 1024;

/**
 * The `data` of each event, in order, those together that came in together. An event that the stream's end cut off is left out.
 * Throws RangeError for an endless one.
 */
export async function* eventData(stream: AsyncIterable<Buffer>): AsyncGenerator<string[]> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  let data: string | undefined;
  for await (const bytes of stream) {
    rest += decoder.write(bytes);
    const events: string[] = [];
    let from = 0;
    for (let end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n', from)) {
      const line = rest.charCodeAt(end - 1) === 13 ? rest.slice(from, end - 1) : rest.slice(from, end);
      from = end + 1;
      if (line === '') {
        if (data !== undefined) events.push(data);
        data = undefined;
      } else if (line.startsWith('data:')) {
        const part = line.charCodeAt(5) === 32 ? line.slice(6) : line.slice(5);
        data = data === undefined ? part : `${data}\n${part}`;
      }
    }
    if (from > 0) rest = rest.slice(from);
    if (events.length > 0) yield events;
    if (rest.length + (data?.length ?? 0) > LONGEST_EVENT) throw new RangeError('an event without end');
  }
}
