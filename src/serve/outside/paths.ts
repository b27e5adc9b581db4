/**
 * The folder of an instance is `/workspace` to the agent: where it lies on our disk stays hidden, and a path that an agent read
 * before a fork leads into the branch's own copy after it.
 */
import { realpathSync } from 'node:fs';
import type { Json } from '../../kit/hash.js';

export const SHOWN_FOLDER = '/workspace';

export interface Paths {
  /** The folder's real path becomes the shown one, wherever it stands. */
  hide(text: string): string;
  hideAll(value: Json): Json;
  /** Texts that are a path or file URL in the shown folder become real; others are left as they are. */
  revealAll(value: Json): Json;
}

const mapTexts = (value: Json, change: (text: string) => string): Json => {
  if (typeof value === 'string') return change(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [change(key), mapTexts(item, change)]));
};

const realPath = (folder: string): string => {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
};

/** For a server behind a URL: there is no folder, and nothing is changed. */
export const NO_PATHS: Paths = { hide: (text) => text, hideAll: (value) => value, revealAll: (value) => value };

export const pathsOf = (folder: string): Paths => {
  const real = [...new Set([folder, realPath(folder)])].sort((a, b) => b.length - a.length);
  const escaped = real.map((path) => path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|');
  const anywhere = new RegExp(`(?:${escaped})(?![\\w-])`, 'g');
  const hide = (text: string): string =>
    real.some((path) => text.includes(path)) ? text.replace(anywhere, SHOWN_FOLDER) : text;
  const reveal = (text: string): string =>
    text.replace(/^(file:\/\/)?\/workspace(?=$|\/)/, `$1${folder.replaceAll('$', '$$$$')}`);
  return { hide, hideAll: (value) => mapTexts(value, hide), revealAll: (value) => mapTexts(value, reveal) };
};
