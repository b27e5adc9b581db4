/** Both ends of a real unix socket, for tests. */
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Link, type LinkLimits } from '../frames/link.js';
import { Rpc } from './rpc.js';

export interface RpcPair {
  near: Rpc;
  far: Rpc;
  end(): void;
}

export const rpcPair = async (limits: Partial<LinkLimits> = {}): Promise<RpcPair> => {
  const folder = mkdtempSync(join(tmpdir(), 'treadle-rpc-'));
  const path = join(folder, 's');
  const server = createServer();
  const accepted = new Promise<Socket>((resolve) => server.once('connection', resolve));
  await new Promise<void>((resolve) => server.listen(path, resolve));
  const [ours, theirs] = [connect(path), await accepted];
  return {
    near: new Rpc(new Link(ours, limits)),
    far: new Rpc(new Link(theirs, limits)),
    end: () => {
      ours.destroy();
      theirs.destroy();
      server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
