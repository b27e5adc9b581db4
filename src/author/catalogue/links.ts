/** Links: shared keys between the services of a world, `from` the column that speaks of the other service's `to`. */
import type { Link } from '../../artifacts/world.js';
import { CORE_EMAIL_COLUMNS } from '../core/services.js';
import type { SharedKey } from './compile.js';

const words = (name: string): string => name.replaceAll('_', ' ');

/** Links of the given keys, and of mail and chat to the directory; ids are unique, order is fixed. */
export const linksOf = (keys: readonly SharedKey[]): Link[] => {
  const core: SharedKey[] = CORE_EMAIL_COLUMNS.map((from) => ({
    from: { ...from },
    to: { service: 'directory', table: 'employee', col: 'email' },
  }));
  return [...core, ...keys].map(({ from, to }) => ({
    id: `${from.service}_${from.table}_${from.col}`.slice(0, 63),
    from,
    to,
    says: `${words(from.col)} of a ${words(from.table)} in ${words(from.service)} is the ${words(to.col)} of a ${words(to.table)} in ${words(to.service)}.`,
  }));
};

/** Whether every service can be reached from the first one through links. */
export const connected = (services: readonly string[], links: readonly Link[]): boolean => {
  const [first] = services;
  if (!first) return false;
  const seen = new Set([first]);
  const queue = [first];
  for (let at = queue.pop(); at; at = queue.pop())
    for (const { from, to } of links)
      for (const [here, there] of [
        [from.service, to.service],
        [to.service, from.service],
      ])
        if (here === at && there && !seen.has(there)) {
          seen.add(there);
          queue.push(there);
        }
  return services.every((service) => seen.has(service));
};
