/**
 * A worker's process of a few lines, with the frames written out by hand: so the front is tested without a corpus, and what stands in
 * `frames/frame.ts` is what a stranger would make of it. Its sessions are files, each with what was answered to which number.
 */
import type { WorkerCommand } from './worker.js';

/**
 * `silent`: never says hello. `ends`: right at the start. `noise`: says what is no frame once it is ready. `heavy`: reports a lot of
 * memory. `keeps`: releases nothing.
 */
export type FakeMode = 'well' | 'silent' | 'ends' | 'noise' | 'heavy' | 'keeps';

const PROGRAM = `
const { Socket } = require('node:net');
const { existsSync, readFileSync, writeFileSync, rmSync } = require('node:fs');
const { FOLDER: folder, TREADLE_WORKER: name } = process.env;
const mode = readFileSync(folder + '/mode', 'utf8');
process.on('SIGTERM', () => {});
const at = (id) => folder + '/' + id + '.session';
const own = new Map();
if (mode === 'ends') { console.error('no corpus here'); process.exit(3); }
const socket = new Socket({ fd: 3, readable: true, writable: true });
socket.on('close', () => process.exit(0));
socket.on('error', () => process.exit(0));
const send = (kind, id, head, body = '') => {
  const [h, b, p] = [Buffer.from(head), Buffer.from(body), Buffer.alloc(24)];
  p[0] = 0x54; p[1] = kind;
  p.writeUInt32BE(h.length, 4); p.writeUInt32BE(b.length, 8); p.writeUInt32BE(id, 12);
  socket.write(Buffer.concat([p, h, b]));
};
const waiting = new Map();
let asked = 0;
let admitted = 0;
const ask = (method, params) => new Promise((resolve) => { waiting.set(++asked, resolve); send(1, asked, JSON.stringify([method, params])); });
const save = (id) => writeFileSync(at(id), JSON.stringify(own.get(id)));
const count = (id, number, dies) => {
  const session = own.get(id);
  if (!session) throw { code: 'unknown_session', message: 'not here', fault: 'input', isRetryable: false };
  if (session.done[number]) return session.done[number];
  session.n++;
  session.done[number] = name + ' ' + session.n;
  save(id);
  if (dies) process.kill(process.pid, 'SIGKILL');
  return session.done[number];
};
const infoOf = (id) => ({ id, status: 'open', labels: {} });
const methods = {
  trainer: ([method, id, more], number) => {
    if (method === 'open') {
      const made = more.id;
      if (id.dies && !existsSync(folder + '/died')) { if (id.dies === 'after') { own.set(made, { n: 0, done: {} }); save(made); } writeFileSync(folder + '/died', made); process.kill(process.pid, 'SIGKILL'); }
      own.set(made, { n: 0, done: {} }); save(made); admitted++;
      return { ...infoOf(made), token: 'trd_' + made + '.' + 'x'.repeat(43), url: 'none', services: {} };
    }
    if (method === 'granted') { if (!own.has(id)) throw { code: 'unknown_session', message: 'not here', fault: 'input', isRetryable: false }; return { ...infoOf(id), token: 'trd_' + id + '.' + 'x'.repeat(43), url: 'none', services: {} }; }
    if (method === 'discard') { own.delete(id); rmSync(at(id)); return true; }
    if (method === 'call') return count(id, number, more.tool === 'die');
    if (method === 'close') { own.get(id).closed = true; return infoOf(id); }
    return infoOf(id);
  },
  infos: ({ ids }) => ids.map((id) => (own.has(id) ? infoOf(id) : null)),
  adopt: ({ sessions }) => {
    const there = sessions.filter((id) => existsSync(at(id)));
    for (const id of there) own.set(id, JSON.parse(readFileSync(at(id), 'utf8')));
    const why = { code: 'session_lost', message: 'nothing of it is there', fault: 'infrastructure', isRetryable: false };
    return { adopted: there, lost: sessions.filter((id) => !there.includes(id)).map((session) => ({ session, why })) };
  },
  release: ({ sessions }) => {
    if (mode === 'keeps') {
      const why = { code: 'cannot_move', message: 'it stays', fault: 'infrastructure', isRetryable: false };
      return { released: [], kept: sessions.map((session) => ({ session, why })) };
    }
    for (const id of sessions) own.delete(id);
    return { released: sessions, kept: [] };
  },
  registry: (changes) => { writeFileSync(folder + '/' + name + '.told', JSON.stringify(changes)); return true; },
  stop: () => true,
};
let held = Buffer.alloc(0);
const heads = [];
socket.on('data', (chunk) => {
  held = Buffer.concat([held, chunk]);
  for (;;) {
    if (held.length < 24) return;
    const [h, b, id] = [held.readUInt32BE(4), held.readUInt32BE(8), held.readUInt32BE(12)];
    if (held.length < 24 + h + b) return;
    const [kind, number] = [held[1], held.readDoubleBE(16)];
    const known = held.readUInt16BE(2);
    const head = h === 0 ? heads[known] : held.toString('utf8', 24, 24 + h);
    if (known > 0) heads[known] = head;
    const body = held.toString('utf8', 24 + h, 24 + h + b);
    held = held.subarray(24 + h + b);
    if (kind === 2) { waiting.get(id)(JSON.parse(head)); continue; }
    if (kind === 5) {
      const { url } = JSON.parse(head);
      send(6, id, '{"status":200,"type":"application/json"}', count(url.split('/')[2], number, body === 'die'));
      continue;
    }
    if (kind !== 1) continue;
    const [method, params] = JSON.parse(head);
    try { send(2, id, JSON.stringify(methods[method](params, number))); }
    catch (error) { send(3, id, JSON.stringify({ fault: 'infrastructure', isRetryable: false, code: 'fake', message: String(error.message), ...error })); }
  }
});
const main = async () => {
  if (mode === 'silent') return;
  await ask('hello', { name, pid: process.pid, version: '0' });
  await ask('ready', { incarnation: name + '#' + process.pid });
  if (mode === 'noise') socket.write('GET / HTTP/1.1\\r\\nhost: somebody-else\\r\\n\\r\\n');
  setInterval(() => {
    const open = [...own.values()].filter(({ closed }) => !closed).length;
    const info = { version: '0', sessions: { open }, residence: {}, capacity: 9, worlds: { loaded: 0, known: 0 }, rssMiB: 1, uptimeSeconds: 1 };
    const isHeavy = mode === 'heavy' && name === 'w1';
    send(4, 0, JSON.stringify(['report', { info, known: own.size, admitted, rssBytes: isHeavy ? 1e12 : 1e6, cpuSeconds: 1, freeBytes: 1e12, deferred: 0 }]));
  }, 50);
};
main();
`;

/** Sessions lie in `folder`, and so does the mode, in a file that processes read when they start. */
export const fakeWorker = (folder: string): WorkerCommand => ({
  command: process.execPath,
  args: ['-e', PROGRAM],
  env: { FOLDER: folder },
});
