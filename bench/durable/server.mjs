// A server under test, of the built code: `node bench/durable/server.mjs '<JSON of ServerJob>'` prints one line of JSON when it listens.
// It does what `treadle serve` does, and says when it began to take over and when it had; times are of the clock that all processes share.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const now = () => Number(process.hrtime.bigint()) / 1e6;
const begun = now() - performance.now();
const { dist, corpus: dir, data, durability, workers } = JSON.parse(process.argv[2]);
const part = (path) => import(pathToFileURL(join(dist, path)).href);
const onDefect = (error) => process.stderr.write(`server: ${error.line()}\n`);
const usual = {
  dir,
  ...(data === undefined ? {} : { data, durability }),
  servers: [],
  limits: { capacity: 10_000 },
  onDefect,
};
const times = { begun };
const PATIENCE_MS = 600_000;

const stopped = new Promise((resolve) => {
  process.once('SIGTERM', resolve);
  process.once('SIGINT', resolve);
});

/** Front and workers. */
const openFleet = async () => {
  const { openFront } = await part('cli/serving/with-workers.js');
  times.loaded = now();
  const doors = { agents: { host: '127.0.0.1', port: 0 }, trainers: { port: 0 } };
  const front = await openFront({
    ...usual,
    workers,
    warm: true,
    lean: false,
    doors,
    // A machine may be slow: it is no fault of the worker's.
    front: { helloMs: PATIENCE_MS, readyMs: PATIENCE_MS },
    onFatal: (error) => {
      onDefect(error);
      process.exit(1);
    },
  });
  const { served } = front;
  return { served, pids: [...served.fleet.workers].map(({ pid }) => pid), close: () => front.close() };
};

/** One process. */
const openAlone = async () => {
  const [{ boundHeap }, { openHouse }, { HouseKeeping }, { serveMegaMcp }, { warmUp }] = await Promise.all([
    part('cli/serving/heap.js'),
    part('cli/serving/house.js'),
    part('serve/durable/session/house-keeping.js'),
    part('serve/megamcp.js'),
    part('cli/serving/warm-up.js'),
  ]);
  times.loaded = now();
  boundHeap(false);
  const takeOver = HouseKeeping.prototype.takeOver;
  HouseKeeping.prototype.takeOver = async function () {
    times.taking = now();
    const from = process.cpuUsage();
    const taken = await takeOver.call(this);
    const { user, system } = process.cpuUsage(from);
    times.taken = now();
    times.takingCpuMs = (user + system) / 1_000;
    return taken;
  };
  const house = await openHouse(usual);
  const agents = { host: '127.0.0.1', port: 0 };
  const served = await serveMegaMcp({ server: house.server, agents, trainers: { port: 0 } });
  let isOver = false;
  void stopped.then(() => {
    isOver = true;
  });
  setImmediate(() => warmUp(house, { isOver: () => isOver, isBusy: served.isBusy }));
  const close = async () => {
    await served.close();
    await house.close();
  };
  const outcomes = {};
  for (const { outcome } of house.taken?.sessions ?? []) outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  return { served, pids: [], outcomes, close };
};

const { served, pids, outcomes, close } = await (workers === undefined ? openAlone() : openFleet());
times.listening = now();
const { url, trainers } = served;
process.stdout.write(
  `${JSON.stringify({ url, adminUrl: trainers.url, adminToken: trainers.token, pids: [process.pid, ...pids], outcomes, times })}\n`,
);
await stopped;
await close();
process.exit(0);
