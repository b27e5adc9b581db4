/** The seam of harnesses (rollout.md, "Harnesses, as they are run headless"): outside agent programs, run whole. */

/** What a harness is given: where its model and its tools are, and a folder of its own. */
export interface HarnessPlace {
  /** The whole request, as one text. */
  task: string;
  /** Instructions that stand above it, for harnesses that take some. */
  system: string;
  model: string;
  /** The gateway, for OpenAI and for Anthropic clients, and the rollout's token. */
  openaiBaseUrl: string;
  anthropicBaseUrl: string;
  modelToken: string;
  /** The session's tools over MCP (streamable HTTP), and the bearer token. */
  mcpUrl: string;
  mcpToken: string;
  /** Private and empty: the current folder, and HOME. */
  workdir: string;
  timeoutSeconds: number;
}

/** How it is started. `files` are written below the work folder first. */
export interface HarnessCommand {
  command: string;
  args: string[];
  env: Record<string, string>;
  files: Record<string, string>;
  /** Written to its standard input, which then ends. */
  stdin?: string;
  /** Folders put before the search path. */
  path?: readonly string[];
  /** Folders and files that it must be able to read where it is jailed, besides the system's and those of the search path. */
  reads?: readonly string[];
}

export interface Harness {
  /** `openclaw`, `hermes`, `claude-code`, or `command`. */
  id: string;
  command(place: HarnessPlace): HarnessCommand;
  /** Our name of a tool that the harness calls by its own (`treadle__name`, `mcp__treadle__name`); undefined for a tool of its own. */
  toolName(shown: string): string | undefined;
  /** The final answer in what it printed; undefined: the last assistant message of the recording is. */
  answer?(stdout: string): string | undefined;
}

/** How it gets onto a machine: packages of a registry, into a folder of its own. */
export interface Recipe {
  /** In this order, by npm; the first may bring the Node that the next ones need. */
  npm?: readonly string[];
  /** By pip, into a virtual environment `venv`. */
  pip?: readonly string[];
  /** Newest first: what the virtual environment may be made with. */
  python?: readonly string[];
  /** Of the program, in the folder. */
  program: string;
  /** Folders in the folder that go before the search path. */
  path?: readonly string[];
  /** What it is called where somebody installed it themselves. */
  name: string;
  /** What it needs, for people. */
  needs: string;
}

/** Where it was found. */
export interface Found {
  command: string;
  path: readonly string[];
  reads: readonly string[];
  version?: string;
}

/** A known harness: one file that makes this, and one line in registry.ts. */
export interface HarnessKind {
  id: string;
  recipe: Recipe;
  harness(found: Found): Harness;
}
