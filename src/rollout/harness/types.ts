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
