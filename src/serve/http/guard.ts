/** Origin and Host: what keeps a web page from reaching a server on the user's own machine (DNS rebinding). */

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** Host names, without port, that requests may be addressed to or come from. Loopback always is. */
export interface Allowed {
  hosts?: readonly string[];
  origins?: readonly string[];
}

export interface Guard {
  isHost(header: string | undefined): boolean;
  /** Absent is fine: only browsers send one. */
  isOrigin(header: string | undefined): boolean;
}

/** `example.com:80` -> `example.com`, `[::1]:80` -> `[::1]`; undefined for what is no host. */
const hostName = (header: string): string | undefined =>
  /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/i.exec(header)?.[1]?.toLowerCase();

const originName = (header: string): string | undefined => {
  const name = /^https?:\/\/([^/?#@\s]+)$/i.exec(header)?.[1];
  return name === undefined ? undefined : hostName(name);
};

export const guardOf = ({ hosts = [], origins = [] }: Allowed): Guard => {
  const asNames = (extra: readonly string[]): Set<string> =>
    new Set(
      [...LOOPBACK, ...extra].map((name) => (name.includes(':') && name[0] !== '[' ? `[${name}]` : name).toLowerCase()),
    );
  const allowedHosts = asNames(hosts);
  const allowedOrigins = asNames(origins);
  return {
    isHost: (header) => header !== undefined && allowedHosts.has(hostName(header) ?? ''),
    isOrigin: (header) => header === undefined || allowedOrigins.has(originName(header) ?? ''),
  };
};
