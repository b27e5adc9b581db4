/** Business processes: errands with a reason, over several archetypes (data/processes.yaml). */
import { z } from 'zod';
import { Name } from '../../artifacts/table.js';
import { readDataFile } from '../../kit/data-file.js';

const Step = z.strictObject({
  id: Name,
  /** archetype.resource.verb, or mail.message.send and the like. */
  do: z.string(),
  by: z.string(),
  when: z.string().optional(),
  needs: z.array(Name).optional(),
  info: z.string().optional(),
  sets: z.string().optional(),
});

export const Process = z.strictObject({
  id: Name,
  title: z.string(),
  sectors: z.array(z.string()),
  reason: z.string(),
  /** Why the whole is done, in words that hold over any rows (`reason` has particulars that rows contradict). */
  purpose: z.string().min(20).max(110),
  roles: z.array(z.string()).min(1),
  steps: z.array(Step).min(3),
  rule: z.string(),
  events: z.array(
    z.strictObject({
      source: z.enum(['requirement', 'state', 'information']),
      record: z.string().optional(),
      says: z.string(),
      hurts: Name,
      // biome-ignore lint/suspicious/noThenProperty: the file's own word
      then: z.string(),
    }),
  ),
});
export type Process = z.infer<typeof Process>;

let loaded: Process[] | undefined;

/** All processes, in the file's order. */
export const processes = (): readonly Process[] => {
  loaded ??= z.strictObject({ processes: z.array(Process) }).parse(readDataFile('processes')).processes;
  return loaded;
};

/** Services a process calls. */
export const servicesOf = (process: Process): string[] => [
  ...new Set(process.steps.map((step) => step.do.split('.')[0] ?? '')),
];

/** Ids of the processes whose services are all present. */
export const processesFor = (present: ReadonlySet<string>): string[] =>
  processes()
    .filter((process) => servicesOf(process).every((service) => present.has(service)))
    .map(({ id }) => id);
