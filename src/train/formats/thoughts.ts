/** Reasoning inside the text, for formats that have no field of their own for it. */

/** `<think>` around the reasoning, before the text; tags of its own, as some servers leave them in, are taken out. */
export const withThoughts = (reasoning: string | undefined, text: string): string =>
  reasoning ? `<think>\n${reasoning.replace(/<\/?think>\s*/g, '')}\n</think>\n\n${text}` : text;

/** The text behind the first `<think>` block. */
export const withoutThoughts = (text: string): string => text.replace(/^<think>\n[\s\S]*?\n<\/think>\n\n/, '');

/** JSON in which `<` is escaped, so that no value can end the tag around it. */
export const tagSafeJson = (value: unknown): string => JSON.stringify(value).replaceAll('<', '\\u003c');
