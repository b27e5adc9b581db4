/** What tests of harnesses share: a house with a gateway, a fake model, and the agent program of agent.mjs. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Trace } from '../../src/artifacts/trace.js';
import { startGateway } from '../../src/rollout/gateway/gateway.js';
import type { Backend } from '../../src/rollout/gateway/types.js';
import type { Jail } from '../../src/rollout/harness/jail.js';
import {
  type HarnessHouse,
  type HarnessLimits,
  harnessProducer,
  rolloutHarness,
} from '../../src/rollout/harness/run.js';
import { commandHarness } from '../../src/rollout/harness/template.js';
import { openToolDoor } from '../../src/rollout/harness/tools-door.js';
import type { Harness } from '../../src/rollout/harness/types.js';
import type { ToolHost } from '../../src/serve/tool-host.js';
import { TOOLS, toyHost, toyTask } from '../rollout/toy.js';
import { type FakeModel, fakeModel, replaying, type Script } from './fake-model.js';

export const AGENT = fileURLToPath(new URL('./agent.mjs', import.meta.url));

/** `mode` of agent.mjs; it is told `task` in place of the task's brief where that is given. */
export const agent = (mode: string, task = '{task}'): Harness =>
  commandHarness(`'${process.execPath}' '${AGENT}' ${mode} '${task}'`);

export interface Tried {
  harness: Harness;
  host?: ToolHost;
  script?: Script;
  limits?: Partial<HarnessLimits>;
  jail?: Jail | undefined;
  signal?: AbortSignal;
  /** The harness brings its own model. */
  isUnheard?: boolean;
}

export interface TestHouse {
  root: string;
  model: FakeModel;
  house: HarnessHouse;
  /** A rollout of the toy task. */
  tried(tried: Tried): Promise<Trace>;
  close(): Promise<void>;
}

export const testHouse = async (): Promise<TestHouse> => {
  const root = mkdtempSync(join(tmpdir(), 'treadle-house-'));
  const own = replaying(toyTask(), TOOLS);
  let script = own;
  const model = await fakeModel((request) => script(request));
  const [gateway, tools] = [await startGateway({ retries: 1, backoffMs: 10 }), await openToolDoor()];
  const house: HarnessHouse = { gateway, tools, root };
  return {
    root,
    model,
    house,
    tried: ({ harness, host = toyHost(), limits, jail, signal, isUnheard, ...rest }) => {
      script = rest.script ?? own;
      const backend: Backend = { kind: 'openai', baseUrl: model.baseUrl, model: 'm1' };
      return rolloutHarness(
        { ...house, jail },
        {
          harness,
          host,
          task: toyTask(),
          producer: harnessProducer(harness, isUnheard ? {} : { backend }),
          ...(isUnheard ? {} : { backend }),
          ...(limits ? { limits } : {}),
          ...(signal ? { signal } : {}),
        },
      );
    },
    close: async () => {
      await Promise.all([gateway.close(), tools.close(), model.close()]);
      rmSync(root, { recursive: true, force: true });
    },
  };
};
