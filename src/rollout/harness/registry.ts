/** The harnesses that are known by name; `command` (template.ts) is any other. */
import { CLAUDE_CODE } from './claude-code.js';
import { HERMES } from './hermes.js';
import { OPENCLAW } from './openclaw.js';
import type { HarnessKind } from './types.js';

export const HARNESS_KINDS: readonly HarnessKind[] = [OPENCLAW, HERMES, CLAUDE_CODE];

/** What `--harness` takes. */
export const HARNESS_IDS: readonly string[] = [...HARNESS_KINDS.map(({ id }) => id), 'command'];

export const harnessKind = (id: string): HarnessKind | undefined => HARNESS_KINDS.find((kind) => kind.id === id);
