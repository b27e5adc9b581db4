/** treadle serve CORPUS: its sessions, by one process or by workers, or one of them over stdio. */
import { TreadleError } from '../../errors.js';
import type { OpenRequest } from '../../serve/api.js';
import { serveStdio } from '../../serve/mcp/stdio.js';
import { agentView } from '../../serve/sessions/server/agent-view.js';
import { IDLE_TIMES } from '../../serve/sessions/server/residence.js';
import { chosenWorlds } from '../chosen-worlds.js';
import { makeUi, warn } from '../ui.js';
import { faultsOf } from './faults.js';
import { boundHeap } from './heap.js';
import { type House, type HouseOptions, openHouse } from './house.js';
import { byOneProcess, byWorkers, requestOf, type ServeOptions, serveAll, supervised } from './serving.js';

/** What keeps sessions from being an API as well. */
const checkRest = ({ rest, stdio, workers, strict, needsKey, tokensOnly, control }: ServeOptions): void => {
  if (!rest) {
    const [flag] = [
      ...(strict ? ['--strict'] : []),
      ...(needsKey ? ['--needs-key'] : []),
      ...(tokensOnly ? ['--tokens-only'] : []),
      ...(control ? [] : ['--no-control']),
    ];
    if (flag === undefined) return;
    throw new TreadleError({
      code: 'not_for_a_corpus',
      message: `${flag} is about the API that a corpus answers as`,
      value: flag,
      next: 'Add --rest, or leave it out.',
    });
  }
  if (!stdio && workers === 1) return;
  throw new TreadleError({
    code: 'rest_alone',
    message: stdio ? 'A session over stdio has no address to be an API at' : 'One process serves sessions as APIs',
    value: stdio ? '--stdio' : `--workers ${workers}`,
    next: stdio ? 'Leave --stdio or --rest out.' : 'Leave --workers out, or serve them over MCP alone.',
  });
};

/** Nothing can be kept in a folder that goes with the server. */
const checkKeeping = ({ data, durable, blobs, stdio, workers }: ServeOptions): void => {
  if (stdio && workers > 1)
    throw new TreadleError({
      code: 'stdio_alone',
      message: 'One session over stdio is served by one process',
      value: `--workers ${workers}`,
      next: 'Leave --workers out.',
    });
  if (data !== undefined || (durable === 'none' && blobs === undefined)) return;
  throw new TreadleError({
    code: 'no_data_folder',
    message: 'Sessions are kept only where the server has a data folder',
    value: blobs === undefined ? `--durable ${durable}` : '--blobs',
    next: 'Say where: --data DIR.',
  });
};

const overStdio = async (house: House, request: OpenRequest): Promise<void> => {
  const { id } = await house.server.open(request);
  const host = agentView(house.server.live(id));
  await serveStdio({ host, input: process.stdin, output: process.stdout });
};

/** Until it is told to stop. Throws what opening a corpus and its data folder throws. */
export const serveCorpus = async (dir: string, options: ServeOptions): Promise<void> => {
  checkKeeping(options);
  checkRest(options);
  if (options.workers > 1 && (await supervised())) return;
  const ui = makeUi(options.json === true);
  boundHeap(options.lean === true);
  const [park, disk, store] = options.resting as [number, number, number];
  const { corpus, worlds } = chosenWorlds(dir, options.world);
  const first = worlds[0] as string;
  const common: HouseOptions = {
    dir,
    data: options.data,
    durability: options.durable,
    blobs: options.blobs,
    diskReserve: options.diskReserve * 1_048_576,
    servers: options.server,
    faults: faultsOf(options.fault, options.faultSeed, corpus, worlds),
    limits: {
      capacity: Math.max(options.capacity, options.sessions),
      idleSeconds: options.idle,
      idle: { ...IDLE_TIMES, park, disk, store },
    },
    onDefect: (error) => warn(`server: ${error.line()}`),
  };
  if (options.workers > 1) {
    await serveAll(await byWorkers(common, options), options, first, ui);
    return;
  }
  const house = await openHouse(common);
  try {
    if (options.stdio) await overStdio(house, requestOf(options, first));
    else await serveAll(await byOneProcess(house, options, worlds), options, first, ui);
  } finally {
    await house.close();
  }
};
