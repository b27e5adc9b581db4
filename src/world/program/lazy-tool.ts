/** A tool that is compiled when it is first called. Most tools of most worlds never are, and a compiled one weighs 15 KB. */
import type { ServiceSpec } from '../../artifacts/service.js';
import type { Step } from '../../artifacts/step.js';
import type { Tool } from '../../artifacts/tool.js';
import { argSpecs } from '../surface/args.js';
import { inputSchemaOf } from '../surface/input-schema.js';
import { outputSchemaOf } from '../surface/output-schema.js';
import type { Environments } from './cel.js';
import { compileTool, versionOf } from './compile-tool.js';
import { expandTool } from './macros.js';
import type { Runnable } from './runnable.js';
import type { CompiledTool, LoadClass } from './types.js';

/** Compiled tools of a process (15 KB each); beyond it, half of them go, those that were called longest ago. */
export const MOST_READY = 2_048;

const ready = new Set<LazyTool>();
let calls = 0;

const makeRoom = (): void => {
  if (ready.size < MOST_READY) return;
  const oldest = [...ready].sort((a, b) => a.calledAt - b.calledAt).slice(0, MOST_READY / 2);
  for (const tool of oldest) {
    tool.letGo();
    ready.delete(tool);
  }
};

export class LazyTool implements CompiledTool {
  calledAt = 0;
  #runnable: Runnable | undefined;
  #version: string | undefined;
  #loadClass: LoadClass | undefined;

  constructor(
    readonly spec: ServiceSpec,
    readonly name: string,
    readonly tool: Tool,
    readonly environments: () => Environments,
  ) {}

  /** Throws what `compileService` throws. */
  ready(): Runnable {
    this.calledAt = ++calls;
    if (this.#runnable) return this.#runnable;
    makeRoom();
    this.#runnable = compileTool(this.spec, this.name, this.tool, this.environments());
    ready.add(this);
    return this.#runnable;
  }

  letGo(): void {
    this.#runnable = undefined;
  }

  get steps(): readonly Step[] {
    return this.#runnable?.steps ?? expandTool(this.spec, this.tool).steps;
  }
  /** Made anew each time: servers keep the listing as text. */
  get inputSchema(): CompiledTool['inputSchema'] {
    return this.#runnable?.inputSchema ?? inputSchemaOf(argSpecs(this.spec, this.tool).values());
  }
  get outputSchema(): CompiledTool['outputSchema'] {
    return outputSchemaOf(this.spec, expandTool(this.spec, this.tool));
  }
  get readOnly(): boolean {
    return this.ready().readOnly;
  }
  get version(): string {
    this.#version ??= versionOf(this.spec, this.name, this.tool, this.steps);
    return this.#version;
  }
  get loadClass(): LoadClass {
    this.#loadClass ??= this.tool.code === undefined ? 'declared' : this.ready().loadClass;
    return this.#loadClass;
  }
}

/** What the interpreter needs of a tool, compiled now where it was not yet. */
export const readyTool = (tool: CompiledTool): Runnable =>
  tool instanceof LazyTool ? tool.ready() : (tool as Runnable);
