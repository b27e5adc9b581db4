/** What a tool's result looks like in the conversation. */
import type { Json } from '../kit/hash.js';

/** Compact JSON, texts as they are; longer than `limit` characters it is cut, and says so. */
export const observationText = (result: Json, limit: number): string => {
  const text = typeof result === 'string' ? result : JSON.stringify(result);
  if (text.length <= limit) return text;
  const kept = text.slice(0, limit).replace(/[\ud800-\udbff]$/, '');
  return `${kept}\n[cut: ${kept.length} of ${text.length} characters shown]`;
};
