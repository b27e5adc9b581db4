/** What a server may offer beside a session's tools, each of it optional. A server without any stays as lean as one that never heard of it. */
import type { Caller } from './caller.js';
import type { Changes } from './changes.js';

type Soon<T> = T | Promise<T>;

export interface ToolResult {
  /** Content blocks: text, image, audio, resource, resource_link. */
  content: readonly object[];
  structuredContent?: unknown;
  isError?: boolean;
}

/** Runs again from its start after each round of questions in 2026-07-28: what it does before `caller.ask` it does again. */
export type RunTool = (args: Record<string, unknown>, caller: Caller) => Soon<ToolResult>;

/** Tools with content of their own, or with something to ask. They are listed after the host's and win over one of the same name. */
export interface FeatureTools {
  list(): readonly object[];
  /** Undefined for a tool that is the host's. */
  run(name: string): RunTool | undefined;
  listChanged?: boolean;
}

export interface Resources {
  list(): readonly object[];
  templates(): readonly object[];
  /** The contents; undefined when nothing has this URI. */
  read(uri: string, caller: Caller): Soon<readonly object[] | undefined>;
  listChanged?: boolean;
  /** Clients may be told when a resource has changed. */
  subscribe?: boolean;
}

export interface PromptResult {
  description?: string;
  messages: readonly object[];
}

export interface Prompts {
  list(): readonly object[];
  /** Undefined when there is no such prompt; a string says what is wrong with the arguments. */
  get(name: string, args: Record<string, string>, caller: Caller): Soon<PromptResult | string | undefined>;
  listChanged?: boolean;
}

export interface CompletionRequest {
  /** A prompt's name or a resource template's URI. */
  of: { prompt: string } | { resource: string };
  argument: string;
  value: string;
  /** Arguments that are settled already. */
  known: Record<string, string>;
}

export interface Features {
  tools?: FeatureTools;
  resources?: Resources;
  prompts?: Prompts;
  /** All that fit, best first; undefined when there is nothing of that name. The first hundred are sent. */
  complete?: (request: CompletionRequest) => Soon<readonly string[] | undefined>;
  /** Tools may log to the client. */
  logging?: boolean;
  /** Told when lists or resources change. Needed for any `listChanged` or `subscribe`. */
  changes?: Changes;
}

const flags = (of: { listChanged?: boolean; subscribe?: boolean }): object => ({
  ...(of.listChanged ? { listChanged: true } : {}),
  ...(of.subscribe ? { subscribe: true } : {}),
});

/** As `initialize` and `server/discover` declare it; tools are always there. */
export const capabilitiesOf = (features: Features = {}): object => ({
  tools: flags(features.tools ?? {}),
  ...(features.resources ? { resources: flags(features.resources) } : {}),
  ...(features.prompts ? { prompts: flags(features.prompts) } : {}),
  ...(features.complete ? { completions: {} } : {}),
  ...(features.logging ? { logging: {} } : {}),
});
