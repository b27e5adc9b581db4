/** 7. service graph: at least two services, each with its own database; the graph is connected; each link matches in the data. */
import type { Link, Place } from '../../artifacts/world.js';
import type { SqlValue } from '../../world/state/types.js';
import type { Notes, WorldSubject, WorldValidator } from '../validator.js';
import { takeNotes } from '../validator.js';

const valuesAt = ({ world, rows }: WorldSubject, { service, table, col }: Place): Set<SqlValue> | undefined => {
  if (!world.services.get(service)?.spec.tables[table]?.cols[col]) return undefined;
  return new Set(rows(service, table).flatMap((row) => ((row[col] ?? null) === null ? [] : [row[col] as SqlValue])));
};

const spelled = ({ service, table, col }: Place): string => `${service}.${table}.${col}`;

/** Whether the link holds; what is wrong with it goes into the notes. */
const holds = (subject: WorldSubject, link: Link, notes: Notes): boolean => {
  const [from, to] = [valuesAt(subject, link.from), valuesAt(subject, link.to)];
  const lost = !from ? link.from : !to ? link.to : undefined;
  if (lost)
    notes.against(
      `link ${link.id} names ${spelled(lost)}, which does not exist`,
      'links',
      'Name columns of services of this world.',
    );
  else if (link.from.service === link.to.service)
    notes.against(`link ${link.id} stays inside ${link.from.service}`, 'links', 'Link two different services.');
  else if (![...(from ?? [])].some((value) => to?.has(value)))
    notes.against(
      `link ${link.id}: no value of ${spelled(link.from)} is found in ${spelled(link.to)}`,
      'data',
      'Seed at least one row that names a row of the other service, or leave the link out.',
    );
  else return true;
  return false;
};

/** Links that name no place of the world, or that no value of its data bears out. */
export const looseLinks = (subject: WorldSubject): Link[] => {
  const notes = takeNotes();
  return subject.world.spec.links.filter((link) => !holds(subject, link, notes));
};

/** Services that cannot be reached from the first over the given links. */
export const unreached = (services: readonly string[], links: readonly Link[]): string[] => {
  const seen = new Set(services.slice(0, 1));
  for (let grew = true; grew; ) {
    grew = false;
    for (const { from, to } of links) {
      if (seen.has(from.service) === seen.has(to.service)) continue;
      seen.add(from.service).add(to.service);
      grew = true;
    }
  }
  return services.filter((id) => !seen.has(id));
};

export const serviceGraph: WorldValidator = {
  id: 'service_graph',
  number: 7,
  title: 'The services hang together',
  run: (subject) => {
    const notes = takeNotes();
    const { services, spec } = subject.world;
    const ids = [...services.keys()];
    if (ids.length < 2)
      notes.against(`the world has ${ids.length} service(s)`, 'links', 'Place the service beside the company core.');
    if (new Set([...services.values()].map(({ pristine }) => pristine)).size < ids.length)
      notes.against('two services share one database', 'schema', 'Give each service a database of its own.');
    const sound = spec.links.filter((link) => holds(subject, link, notes));
    const apart = unreached(ids, spec.links);
    for (const id of apart)
      notes.against(`no link leads to ${id}`, 'links', 'Link it by a key that both services hold, or leave it out.');
    notes.saw(`${ids.length} services hang together by ${sound.length} links, each with a match in the data`);
    return notes.finding('service_graph');
  },
};
