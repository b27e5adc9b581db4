/** What the user wants of the rows that could be: by facet, by length. */
import type { Exclusion } from './exclude.js';
import type { Facet, Facets } from './facets.js';
import type { RowMessage, SftRow } from './row.js';

export interface Filters {
  /** Values wanted, by facet; a facet that is not named is not filtered. */
  only?: Partial<Record<Facet, readonly string[]>>;
  /** Sources of which an event fired, one of them at least. */
  sources?: readonly string[];
  /** Sources of which none did. */
  withoutSources?: readonly string[];
  /** Characters of all messages, reasoning, calls and tools together (`charsOf`). */
  maxChars?: number;
  /** Assistant messages. */
  maxTurns?: number;
  /** Ids of the longest line made of the rollout; needs a tokenizer or the rollout's own tokens. */
  maxTokens?: number;
  /** `exact`: the same task and messages. `near` (near.ts): besides, nearly the same words. */
  dedup?: 'none' | 'exact' | 'near';
}

const charsOfMessage = ({ content, reasoning_content = '', tool_calls = [] }: RowMessage): number =>
  content.length +
  reasoning_content.length +
  tool_calls.reduce(
    (sum, { function: { name, arguments: args } }) => sum + name.length + JSON.stringify(args).length,
    0,
  );

/** Length of a row in UTF-16 units: everything that a chat template would show of it, without the template's own text. */
export const charsOf = ({ messages, tools }: Pick<SftRow, 'messages' | 'tools'>): number =>
  messages.reduce((sum, message) => sum + charsOfMessage(message), 0) +
  tools.reduce((sum, tool) => sum + JSON.stringify(tool).length, 0);

/** Why a filter leaves the row out. */
export const filteredOut = (row: SftRow, facets: Facets, filters: Filters): Exclusion | undefined => {
  const { only = {}, sources, withoutSources = [], maxChars, maxTurns } = filters;
  for (const [facet, wanted] of Object.entries(only))
    if (wanted && !wanted.includes(facets[facet as Facet])) return 'not_chosen';
  const fired = facets.event.split('+');
  if (sources && !sources.some((source) => fired.includes(source))) return 'other_source';
  if (withoutSources.some((source) => fired.includes(source))) return 'other_source';
  if (maxTurns !== undefined && row.messages.filter(({ role }) => role === 'assistant').length > maxTurns)
    return 'too_many_turns';
  if (maxChars !== undefined && charsOf(row) > maxChars) return 'too_many_chars';
  return undefined;
};

/** The filters in the card's words. */
export const filterWords = (filters: Filters): string[] => {
  const { only = {}, sources, withoutSources = [], maxChars, maxTurns, maxTokens, dedup = 'exact' } = filters;
  return [
    ...Object.entries(only).map(([facet, wanted]) => `${facet} is ${(wanted ?? []).join(' or ')}`),
    ...(sources === undefined ? [] : [`an event of source ${sources.join(' or ')} fired`]),
    ...(withoutSources.length === 0 ? [] : [`no event of source ${withoutSources.join(' or ')} fired`]),
    ...(maxChars === undefined ? [] : [`at most ${maxChars} characters`]),
    ...(maxTurns === undefined ? [] : [`at most ${maxTurns} assistant turns`]),
    ...(maxTokens === undefined ? [] : [`at most ${maxTokens} tokens`]),
    {
      none: 'duplicates kept',
      exact: 'no two rows with the same task and messages',
      near: 'no two rows with the same task and messages, nor nearly the same words',
    }[dedup],
  ];
};
