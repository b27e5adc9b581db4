/** How a server introduces itself. */
import { readFileSync } from 'node:fs';

export interface ServerIdentity {
  name: string;
  version: string;
  title?: string;
}

let own: ServerIdentity | undefined;

/** Treadle's own name and version, from its package.json. */
export const ownIdentity = (): ServerIdentity => {
  own ??= {
    name: 'treadle',
    version: (
      JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as { version: string }
    ).version,
  };
  return own;
};
