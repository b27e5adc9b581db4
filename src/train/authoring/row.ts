/** A sample as a training row. */
import type { Json } from '../../kit/hash.js';
import { sha256 } from '../../kit/hash.js';
import { formatOf } from '../formats/registry.js';
import type { RowMessage, SftRow } from '../sft/row.js';
import { AUTHORING_SCHEMA, type AuthoringMetadata, type Blueprint, type Sample } from './types.js';

export const metadataOf = (
  sample: Sample,
  { world, works }: Pick<Blueprint, 'world' | 'works'>,
  fresh: boolean,
): AuthoringMetadata => ({
  schema_version: AUTHORING_SCHEMA,
  kind: sample.kind,
  part: sample.part,
  world_id: world.id,
  world: world.hash,
  result: sample.result.address,
  archetypes: works.map(({ id }) => id).sort(),
  seed: sample.seed,
  corruption: sample.corruption?.name ?? '',
  found_by: sample.corruption?.foundBy ?? '',
  validators: [...sample.result.validators],
  fresh_processes: fresh,
});

/** What a model sees and says: two samples with one address are the same sample. */
export const addressOfSample = ({ messages, answer }: Sample): string =>
  sha256(JSON.stringify([messages.map(({ role, content }) => [role, content]), answer]));

/** The line of a format. There are no tools, and so nothing that the formats in plain text would have to write into the system message. */
export const rowOfSample = (
  { messages, answer }: Sample,
  metadata: AuthoringMetadata,
  format: string,
): Record<string, Json> => {
  const said: RowMessage[] = [
    ...messages.map(({ role, content }) => ({ role, content })),
    { role: 'assistant' as const, content: answer },
  ];
  if (format === 'hermes' || format === 'qwen-xml')
    return { messages: said, metadata } as unknown as Record<string, Json>;
  return formatOf(format).write({ messages: said, tools: [], metadata } as unknown as SftRow);
};
