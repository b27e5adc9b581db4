/**
 * The executable kept warm: a process that runs one command line after the other, each as dist/cli/main.js would alone.
 *
 * Asked over loopback with one line of JSON, `{ args, cwd }`, it answers `{ status, stdout, stderr }` and closes. What ends with
 * a process ends with a command here: its timers, its listeners, its exit status. Commands run one at a time.
 * `node child.mjs MAIN PLACE`: where it listens is written to PLACE.
 */
import { renameSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { pathToFileURL } from 'node:url';

const [main, place] = process.argv.slice(2);
/** Bytes; what failed commands leave open is the next process's to be without. */
const MOST = 1 << 30;
const emitters = [process, process.stdout, process.stderr];
const { setTimeout: timeout, setInterval: interval } = globalThis;
let ran = 0;

const listenersNow = () =>
  emitters.flatMap((emitter) =>
    emitter.eventNames().flatMap((name) => emitter.rawListeners(name).map((listener) => ({ emitter, name, listener }))),
  );

/** Catches what is written to a stream until `end`. */
const caught = (stream) => {
  const { write } = stream;
  let text = '';
  stream.write = (chunk, encoding, done) => {
    text += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8');
    const heard = typeof encoding === 'function' ? encoding : done;
    if (heard) queueMicrotask(heard);
    return true;
  };
  return () => {
    stream.write = write;
    return text;
  };
};

const run = async ({ args, cwd }) => {
  const before = new Set(listenersNow().map(({ listener }) => listener));
  const timers = new Set();
  const kept = (start) =>
    Object.assign(
      (...given) => {
        const timer = start(...given);
        timers.add(timer);
        return timer;
      },
      start, // util.promisify.custom
    );
  globalThis.setTimeout = kept(timeout);
  globalThis.setInterval = kept(interval);
  const ends = [caught(process.stdout), caught(process.stderr)];
  process.chdir(cwd);
  process.argv = [process.execPath, main, ...args];
  process.exitCode = undefined;
  try {
    // Modules are evaluated once an address: another query, another run of main.js. What it imports stays loaded.
    await import(`${pathToFileURL(main)}?${ran++}`);
  } catch (thrown) {
    process.stderr.write(`${thrown?.stack ?? thrown}\n`);
    process.exitCode = 1;
  }
  const [stdout, stderr] = ends.map((end) => end());
  const status = process.exitCode ?? 0;
  process.exitCode = undefined;
  Object.assign(globalThis, { setTimeout: timeout, setInterval: interval });
  for (const timer of timers) clearTimeout(timer);
  for (const { emitter, name, listener } of listenersNow())
    if (!before.has(listener)) emitter.removeListener(name, listener);
  return { status, stdout, stderr };
};

let last = Promise.resolve();
const server = createServer((socket) => {
  let asked = '';
  socket.setEncoding('utf8');
  socket.on('error', () => undefined);
  socket.on('data', (data) => {
    asked += data;
    if (!asked.endsWith('\n')) return;
    last = last.then(async () => {
      const answer = await run(JSON.parse(asked));
      await new Promise((done) => socket.end(JSON.stringify(answer), done));
      if (process.memoryUsage.rss() > MOST) process.exit(0);
    });
  });
});
server.listen(0, '127.0.0.1', () => {
  writeFileSync(`${place}.part`, JSON.stringify({ pid: process.pid, port: server.address().port }));
  renameSync(`${place}.part`, place);
});
process.on('disconnect', () => process.exit(0));
