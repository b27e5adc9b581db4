// An application's tests against a stateful fake of the API it talks to: `node --test`, all tests at once, a fork each.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const tests = fileURLToPath(new URL('fake-api/shop.test.mjs', import.meta.url));
const { status } = spawnSync(process.execPath, ['--test', '--test-reporter=spec', tests], { stdio: 'inherit' });
process.exit(status ?? 1);
