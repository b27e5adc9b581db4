// A front with two workers as the built code makes it, under a supervisor: `node front-child.mjs CORPUS [DATA]`. It keeps where it
// listens for its next life, and writes it to the file that ADDRESS names.
import { writeFileSync } from 'node:fs';
import { openFront } from '../../dist/cli/serving/with-workers.js';
import { lifeOf } from '../../dist/serve/workers/supervisor/life.js';

const [dir, data] = process.argv.slice(2);
let stop = () => {};
const stopped = new Promise((resolve) => {
  stop = resolve;
});
process.once('SIGTERM', stop);
const life = await lifeOf(stop);
const { agents, trainers, token } = life?.before ?? { agents: 0, trainers: 0 };
const say = (error) => console.error(error.line());
const front = await openFront({
  dir,
  data,
  durability: 'call',
  servers: [],
  limits: {},
  faults: undefined,
  warm: false,
  lean: false,
  workers: 2,
  doors: { agents: { port: agents }, trainers: { port: trainers, ...(token ? { token } : {}) } },
  front: { waitMs: 60_000 },
  onDefect: say,
  onFatal: (error) => {
    say(error);
    process.exit(1);
  },
});
const { served } = front;
const port = (url) => Number(new URL(url).port);
const address = { agents: port(served.url), trainers: port(served.trainers.url), token: served.trainers.token };
life?.keep(address);
writeFileSync(process.env.ADDRESS, JSON.stringify({ ...address, pid: process.pid, world: front.corpus.worlds()[0] }));
await stopped;
await front.close();
process.exit(0);
