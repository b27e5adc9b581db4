/** A real S3 server for tests: moto (Debian: python3-moto) as a child, on a free loopback port. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';

export interface Moto {
  endpoint: string;
  bucket: string;
  /** Of the one user that may do all with S3. */
  env: Record<string, string>;
  stop(): void;
}

// It ends when its stdin does: also when this process is killed.
const PROGRAM = `
import os, sys, threading
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
from moto.server import main
main(["-H", "127.0.0.1", "-p", "0"])
`;

const ANONYMOUS = 'AWS4-HMAC-SHA256 Credential=x/20200101/us-east-1/iam/aws4_request, SignedHeaders=host, Signature=x';

const FIND = 'import importlib.util as u, sys; sys.exit(not (u.find_spec("moto") and u.find_spec("flask")))';

const python = ['python3', '/usr/bin/python3'].find((one) => spawnSync(one, ['-c', FIND]).status === 0);

/** False, with a loud line, where there is no moto. */
export const hasMoto = (): boolean => {
  if (python === undefined)
    console.error(
      '!! SKIPPED: blobs in S3 are not run against a real S3 server: no moto (apt-get install python3-moto)',
    );
  return python !== undefined;
};

const portOf = (child: ChildProcess): Promise<number> =>
  new Promise((resolve, reject) => {
    const said: string[] = [];
    createInterface({ input: child.stderr! }).on('line', (line) => {
      said.push(line);
      const port = /Running on http:\/\/127\.0\.0\.1:(\d+)/.exec(line)?.[1];
      if (port) resolve(Number(port));
    });
    child.once('exit', () => reject(new Error(`moto ended: ${said.slice(-5).join(' | ')}`)));
  });

/** What botocore, AWS's own client, makes of a request: its Authorization header. */
export const botocoreSigns = (request: {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string;
  id: string;
  secret: string;
  token: string;
}): string => {
  const program = `
import json, sys
from botocore.auth import S3SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
r = json.load(sys.stdin)
request = AWSRequest(method=r["method"], url=r["url"], headers=r["headers"], data=r["body"].encode())
request.context["timestamp"] = r["headers"]["x-amz-date"]
auth = S3SigV4Auth(Credentials(r["id"], r["secret"], r["token"]), "s3", "eu-west-1")
canonical = auth.canonical_request(request)
print(auth.signature(auth.string_to_sign(request, canonical), request))
`;
  const ran = spawnSync(python!, ['-c', program], { input: JSON.stringify(request), encoding: 'utf8' });
  if (ran.status !== 0) throw new Error(ran.stderr);
  return ran.stdout.trim();
};

const asked = async (url: string, init: RequestInit): Promise<string> => {
  const response = await fetch(url, init);
  const text = await response.text();
  if (!response.ok) throw new Error(`moto: ${response.status} ${text.slice(0, 300)}`);
  return text;
};

/** `strict`: it checks signatures, but wrongly where a path has escaped characters; its own AWS client is turned away then. */
export const startMoto = async (strict: boolean): Promise<Moto> => {
  // Four things are done before anybody must be somebody: below.
  const env = { ...process.env, ...(strict ? { INITIAL_NO_AUTH_ACTION_COUNT: '4' } : {}) };
  const child = spawn(python!, ['-c', PROGRAM], { env, stdio: ['pipe', 'ignore', 'pipe'] });
  const endpoint = `http://127.0.0.1:${await portOf(child)}`;
  const iam = (form: Record<string, string>): Promise<string> =>
    asked(endpoint, {
      method: 'POST',
      headers: { authorization: ANONYMOUS },
      body: new URLSearchParams({ Version: '2010-05-08', UserName: 'treadle', ...form }),
    });
  await iam({ Action: 'CreateUser' });
  const answer = await iam({ Action: 'CreateAccessKey' });
  const field = (name: string): string => new RegExp(`<${name}>([^<]+)<`).exec(answer)?.[1] ?? '';
  const all = { Version: '2012-10-17', Statement: [{ Effect: 'Allow', Action: 's3:*', Resource: '*' }] };
  await iam({ Action: 'PutUserPolicy', PolicyName: 'all', PolicyDocument: JSON.stringify(all) });
  await asked(`${endpoint}/treadle-test`, { method: 'PUT' });
  return {
    endpoint,
    bucket: 'treadle-test',
    env: { AWS_ACCESS_KEY_ID: field('AccessKeyId'), AWS_SECRET_ACCESS_KEY: field('SecretAccessKey') },
    stop: () => child.stdin!.end(),
  };
};
