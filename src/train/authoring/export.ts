/** Construction traces of a corpus as a dataset folder; rows go to disk as each world is done. */
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WorldDraft } from '../../author/draft.js';
import type { Certify } from '../../author/model/types.js';
import type { WorldDescription } from '../../corpus/corpus.js';
import { diskError } from '../../corpus/files.js';
import { rng } from '../../kit/rng.js';
import { formatOf } from '../formats/registry.js';
import { close, jsonLine, opened, push } from '../sft/lines.js';
import { type AuthoringFacts, authoringCard } from './card.js';
import { samplesOf } from './make.js';
import { metadataOf, rowOfSample } from './row.js';
import { archetypesOf } from './select.js';
import type { Kind } from './types.js';

export interface AuthoringOptions {
  out: string;
  kinds: readonly Kind[];
  perWorld: number;
  heldOut: readonly string[];
  format: string;
  seed: string;
  licence: string;
}

/** What runs the worlds: handed in, since it holds engines and processes. */
export interface Oracle {
  certify: Certify;
  /** Validator 11 on a draft, in two fresh processes. */
  prove(draft: WorldDraft): Promise<boolean>;
  say(line: string): void;
}

export interface AuthoringReport extends Omit<AuthoringFacts, 'licence' | 'format' | 'seed'> {
  files: string[];
}

/** One world in this many has its fresh processes run, the first one always. */
const PROVEN_ONE_IN = 10;

/** `train`, `validation` where all is held out, or why the world is in neither. */
export const sideOf = (
  description: WorldDescription,
  heldOut: readonly string[],
): 'train' | 'validation' | 'uncertified' | 'mixes_held_out' => {
  if (description.certificates.world?.pass !== true) return 'uncertified';
  const ids = [...archetypesOf(description).values()];
  const held = ids.filter((id) => heldOut.includes(id)).length;
  if (held === 0) return 'train';
  return held === ids.length ? 'validation' : 'mixes_held_out';
};

const count = (counts: Record<string, number>, key: string, by = 1): void => {
  counts[key] = (counts[key] ?? 0) + by;
};

/**
 * Writes README.md and data/{train,validation}.jsonl. Same worlds and options: same bytes. An earlier export stays whole when this
 * one fails. Throws `unknown_format` and what the disk says.
 */
export const exportAuthoring = async (
  worlds: Iterable<WorldDescription>,
  options: AuthoringOptions,
  oracle: Oracle,
): Promise<AuthoringReport> => {
  const { out, kinds, perWorld, heldOut, format, seed, licence } = options;
  formatOf(format);
  const scratch = join(out, '.unfinished');
  const facts = {
    heldOut,
    rows: { train: 0, validation: 0 },
    worlds: { used: 0, fresh: 0 },
    kinds: {} as Record<string, number>,
    foundBy: {} as Record<string, number>,
    archetypes: {} as Record<string, number>,
    skipped: {} as Record<string, number>,
    duplicates: 0,
  };
  const known = new Set<string>();
  try {
    rmSync(scratch, { recursive: true, force: true });
    mkdirSync(scratch, { recursive: true });
    mkdirSync(join(out, 'data'), { recursive: true });
  } catch (thrown) {
    throw diskError(thrown, out, 'write');
  }
  const files = { train: opened(join(scratch, 'train.jsonl')), validation: opened(join(scratch, 'validation.jsonl')) };
  const write = async (side: 'train' | 'validation', row: object): Promise<void> => {
    try {
      await push(files[side], `${jsonLine(row)}\n`);
    } catch (thrown) {
      throw diskError(thrown, out, 'write');
    }
  };
  try {
    for (const description of worlds) {
      const side = sideOf(description, heldOut);
      if (side !== 'train' && side !== 'validation') {
        count(facts.skipped, side);
        continue;
      }
      oracle.say(description.world.id);
      const isProven = facts.worlds.used === 0 || rng(seed, 'proven', description.world.id).int(1, PROVEN_ONE_IN) === 1;
      const prove = isProven ? oracle.prove : undefined;
      const made = await samplesOf(description, { kinds, perWorld, seed, certify: oracle.certify, prove, known });
      if ('skipped' in made) {
        count(facts.skipped, made.skipped);
        continue;
      }
      facts.worlds.used++;
      if (made.fresh) facts.worlds.fresh++;
      facts.duplicates += made.duplicates;
      for (const sample of made.samples) {
        const metadata = metadataOf(sample, made.blueprint, made.fresh);
        await write(side, rowOfSample(sample, metadata, format));
        facts.rows[side]++;
        count(facts.kinds, sample.kind);
        if (sample.corruption) count(facts.foundBy, sample.corruption.foundBy);
        for (const id of metadata.archetypes) count(facts.archetypes, id);
      }
    }
    try {
      await Promise.all([close(files.train), close(files.validation)]);
      writeFileSync(join(scratch, 'README.md'), authoringCard({ ...facts, licence, format, seed }));
      return { ...facts, files: moveInto(out, scratch, facts.rows) };
    } catch (thrown) {
      throw diskError(thrown, out, 'write');
    }
  } finally {
    files.train.destroy();
    files.validation.destroy();
    rmSync(scratch, { recursive: true, force: true });
  }
};

/** A split without rows has no file, since loaders stumble over empty ones. */
const moveInto = (out: string, scratch: string, rows: { train: number; validation: number }): string[] => {
  const files: string[] = [];
  for (const side of ['train', 'validation'] as const) {
    const path = join('data', `${side}.jsonl`);
    if (rows[side] === 0) rmSync(join(out, path), { force: true });
    else {
      renameSync(join(scratch, `${side}.jsonl`), join(out, path));
      files.push(path);
    }
  }
  renameSync(join(scratch, 'README.md'), join(out, 'README.md'));
  return ['README.md', ...files];
};
