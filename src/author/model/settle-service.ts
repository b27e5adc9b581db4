/** One service from its plan to a certificate: tables, then actions, each failure sent back with what was seen. */
import type { Certificate } from '../../artifacts/certificate.js';
import type { DraftTable } from '../catalogue/archetype.js';
import { askPart } from './ask.js';
import { blameOf, dropBlamed } from './blame.js';
import { actionsPart } from './parts/actions.js';
import { mendTables, tablesPart, withoutVerbs } from './parts/tables.js';
import { canonicalService, issueOf, type ServiceWork } from './spec/service.js';
import { documentOf, noteWork, type Studio, standing, tryOut } from './studio.js';
import type { Issue } from './types.js';

/** Failed certificates that are sent back before the blamed tools are left out. */
const MOST_REPAIRS = 2;
const MOST_DROPS = 4;
const TABLES_AT_ONCE = 2;
/** Fewer tools than this are no service (certify/repair.ts). */
const LEAST_TOOLS = 3;

const presentOf = (studio: Studio): ReadonlySet<string> => new Set(standing(studio).map(({ id }) => id));

const askTables = async (studio: Studio, work: ServiceWork, known: readonly Issue[] = []): Promise<void> => {
  const { desk, setting } = studio;
  const shared = studio.shared.filter(({ from, to }) =>
    [from.service, to.service].every((id) => presentOf(studio).has(id)),
  );
  const request = { work, setting, present: presentOf(studio), shared, document: documentOf(studio, work) };
  const part = tablesPart(request);
  const left = await askPart(desk, part, known);
  if (known.length === 0) work.lost.push(...left);
  mendTables(work);
  noteWork(studio, part.id, work);
};

const askActions = async (
  studio: Studio,
  work: ServiceWork,
  tables: readonly string[],
  known: readonly Issue[] = [],
): Promise<void> => {
  const { desk, setting } = studio;
  const request = { work, setting, present: presentOf(studio), tables, document: documentOf(studio, work) };
  const part = actionsPart(request);
  const left = await askPart(desk, part, known);
  if (known.length === 0) work.lost.push(...left);
  noteWork(studio, part.id, work);
};

/** Actions that do not compile with the tables as they now are fall out. */
const pruneActions = (studio: Studio, work: ServiceWork): void => {
  const bare = withoutVerbs(work.tables);
  for (const [name, table] of Object.entries(work.tables)) {
    const kept: NonNullable<DraftTable['verbs']> = {};
    for (const [verb, draft] of Object.entries(table.verbs ?? {})) {
      try {
        const alone = { ...(bare[name] as DraftTable), verbs: { [verb]: draft } };
        canonicalService(work, studio.setting, presentOf(studio), { ...bare, [name]: alone });
        kept[verb] = draft;
      } catch (thrown) {
        work.lost.push(issueOf(thrown, `${name}.${verb}`));
      }
    }
    work.tables[name] = { ...table, verbs: kept };
  }
};

const toolsLeft = (studio: Studio, work: ServiceWork): { all: number; writes: number } => {
  try {
    const tools = Object.values(canonicalService(work, studio.setting, presentOf(studio)).spec.tools);
    return { all: tools.length, writes: tools.filter(({ writes }) => writes.length > 0).length };
  } catch {
    return { all: 0, writes: 0 };
  }
};

const repair = async (
  studio: Studio,
  work: ServiceWork,
  certificate: Certificate | undefined,
  thrown: unknown,
  spec: ReturnType<typeof canonicalService>['spec'] | undefined,
): Promise<void> => {
  if (!certificate || !spec) {
    await askTables(studio, work, [issueOf(thrown, work.id)]);
    return pruneActions(studio, work);
  }
  const blame = blameOf(certificate, spec, work);
  const tables = [...blame.tables, ...blame.generic];
  if (tables.length > 0) {
    await askTables(studio, work, tables);
    pruneActions(studio, work);
  }
  for (const [table, issues] of blame.actions) await askActions(studio, work, [table], issues);
};

/** Certifies the service among those before it; gives up with `out` set. */
export const certifyService = async (studio: Studio, work: ServiceWork): Promise<void> => {
  const until = studio.works.indexOf(work);
  const beside = (): ServiceWork[] => standing(studio).filter((other) => studio.works.indexOf(other) <= until);
  let last = 'it did not certify';
  for (let round = 0; round < MOST_REPAIRS + MOST_DROPS; round++) {
    const tools = toolsLeft(studio, work);
    if (tools.all > 0 && (tools.all < LEAST_TOOLS || tools.writes === 0 || tools.writes === tools.all)) {
      work.out = `too few sound tools are left: ${last}`;
      return;
    }
    const trial = await tryOut(studio, {
      stage: `service ${work.id}`,
      works: beside(),
      invariants: [],
      only: [work.id],
    });
    const certificate = trial.ok ? trial.judged.services[work.id] : undefined;
    if (certificate?.pass) return;
    const spec = trial.ok ? trial.draft.services.find((service) => service.spec.id === work.id)?.spec : undefined;
    const [failed] = certificate?.findings.filter(({ pass }) => !pass) ?? [];
    last = failed
      ? `${failed.id}: ${failed.evidence[0] ?? ''}`
      : issueOf(trial.ok ? 'no certificate' : trial.thrown, work.id).why;
    if (round < MOST_REPAIRS && !studio.desk.ended)
      await repair(studio, work, certificate, trial.ok ? 'no certificate' : trial.thrown, spec);
    else if (!certificate || !spec || !dropBlamed(work, blameOf(certificate, spec, work))) break;
  }
  work.out = last.slice(0, 300);
};

/** Writes and certifies one service. What is sound stays; `work.out` says why nothing did. */
export const makeService = async (studio: Studio, work: ServiceWork): Promise<void> => {
  const { desk } = studio;
  await askTables(studio, work);
  if (Object.keys(work.tables).length === 0) {
    work.out = desk.ended ? `not written: ${desk.ended.why}` : `no sound table: ${work.lost[0]?.why ?? ''}`;
    return;
  }
  const names = Object.keys(work.tables);
  for (let at = 0; at < names.length && !desk.ended; at += TABLES_AT_ONCE)
    await askActions(studio, work, names.slice(at, at + TABLES_AT_ONCE));
  await certifyService(studio, work);
};
