/** The only file that may read the wall clock. Everything a corpus holds uses a session's virtual clock instead. */

/** Milliseconds since an arbitrary start, for progress lines and benchmarks. */
export const elapsedMs = (): number => performance.now();

/** Wall-clock unix seconds, for tokens' expiry and cache headers; never for anything an artifact keeps. */
export const wallSeconds = (): number => Math.floor(Date.now() / 1000);

/** Now as an ISO instant to the second: only for what a person did, such as a review. */
export const wallInstant = (): string => new Date(wallSeconds() * 1000).toISOString().replace('.000Z', 'Z');

let dated = { second: 0, text: '' };

/** Now, in the form of HTTP's Date header. */
export const httpDate = (): string => {
  const second = wallSeconds();
  if (dated.second !== second) dated = { second, text: new Date(second * 1000).toUTCString() };
  return dated.text;
};

/** CPU seconds (user + system) of this process so far. */
export const cpuSeconds = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};
