/**
 * A user message right behind tool results: what a scenario's user or environment says while the assistant is at work. Some chat
 * templates and trainers want user and assistant to alternate and refuse it; the words then go into the result before them, marked
 * as servers mark them.
 */
import type { RowMessage, SftRow } from './row.js';

/** As servers mark them where they come with a result (serving.md); a notification is marked already. */
const FROM_USER = '[Message from the user] ';
const NOTIFIED = '[Notification] ';
const BETWEEN = /\n\n(?=\[Message from the user\] |\[Notification\] )/;

/** The results and words of a text that `inResult` made. */
export const fromResult = (text: string): { result: string; words: string[] } => {
  const [result = '', ...words] = text.split(BETWEEN);
  return { result, words: words.map((one) => (one.startsWith(FROM_USER) ? one.slice(FROM_USER.length) : one)) };
};

export const inResult = (result: string, words: string): string =>
  `${result}\n\n${words.startsWith(NOTIFIED) ? '' : FROM_USER}${words}`;

/** A user message goes into a result, or into another user message, that stands right before it. */
const goesInto = (before: RowMessage | undefined, { role }: RowMessage): before is RowMessage =>
  role === 'user' && (before?.role === 'tool' || before?.role === 'user');

/** The messages so that none of the user stands behind a result; `at[n]` is where message n went. */
export const mergeNotices = (messages: readonly RowMessage[]): { messages: RowMessage[]; at: number[] } => {
  const merged: RowMessage[] = [];
  const at: number[] = [];
  for (const message of messages) {
    const before = merged.at(-1);
    if (goesInto(before, message))
      merged[merged.length - 1] = { ...before, content: inResult(before.content, message.content) };
    else merged.push(message);
    at.push(merged.length - 1);
  }
  return { messages: merged, at };
};

/** The row with its messages so; what its metadata says of messages moves along. */
export const withNoticesMerged = (row: SftRow): SftRow => {
  const { messages, at } = mergeNotices(row.messages);
  if (messages.length === row.messages.length) return row;
  const moved = (index: number): number => (index < 0 ? index : (at[index] ?? messages.length));
  const { negative_from: from, origin } = row.metadata;
  return {
    ...row,
    messages,
    metadata: { ...row.metadata, negative_from: moved(from), origin: { ...origin, from: moved(origin.from) } },
  };
};
