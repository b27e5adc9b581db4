/** Certifies a loaded world: every service by its validators, then the world by what only a whole can show (certify.md). */
import type { Certificate, Finding } from '../artifacts/certificate.js';
import type { Tool } from '../artifacts/tool.js';
import type { Link } from '../artifacts/world.js';
import { TreadleError } from '../errors.js';
import { rng } from '../kit/rng.js';
import type { Book } from '../serve/sessions/book.js';
import { Session } from '../serve/sessions/session.js';
import type { LoadedService, LoadedWorld } from '../world/loaded.js';
import { type InvariantStudy, studyInvariant } from './invariants/study.js';
import { replayBefore } from './prepare.js';
import { findProbes, type Probe, rowReader } from './probes.js';
import type { Query } from './query.js';
import { questionsFor } from './questions.js';
import { readerOf } from './reader.js';
import { rowTests } from './shown.js';
import type { ServiceSubject, ServiceValidator, WorldSubject } from './validator.js';
import { SERVICE_VALIDATORS, WORLD_VALIDATORS } from './validators/registry.js';
import { looseLinks } from './validators/service-graph.js';

const ME = { id: 'certify', name: 'Certifier', email: 'certify@treadle.example' };

/** Everything a service validator may look at, with the probes found. */
export const subjectOf = (world: LoadedWorld, service: LoadedService): ServiceSubject => {
  let opened = 0;
  const open = (book?: Book): Session =>
    Session.open(world, { id: `certify-${opened++}`, me: ME, isUnversioned: true, ...(book && { book }) });
  const ready = (probe: Probe): Session => {
    const session = open();
    replayBefore(session, probe);
    return session;
  };
  const random = rng(world.spec.seed, 'certify', service.id);
  const tools = [...world.tools].filter(([, tool]) => tool.service === service);
  const rows = rowReader(service);
  const probes = findProbes(service, tools, () => open(), random.stream('probes'), rows);
  const asked = new Map<Tool, readonly Query[]>();
  const subject: ServiceSubject = {
    world,
    service,
    spec: service.spec,
    manifest: world.spec.rows[service.id] ?? {},
    me: ME,
    random,
    rows,
    open: () => open(),
    ready,
    reader: readerOf(open, service.id),
    isRow: rowTests(service.spec),
    questions: (tool) => {
      const known = asked.get(tool) ?? questionsFor(subject, tool, rows(tool.table));
      asked.set(tool, known);
      return known;
    },
    probes,
  };
  return subject;
};

/** A validator that throws has found a defect it could not put in words: that is a failure, with the message. */
const runOne = <Subject>(validator: { id: string; run(subject: Subject): Finding }, subject: Subject): Finding => {
  try {
    return validator.run(subject);
  } catch (thrown) {
    const line =
      thrown instanceof TreadleError
        ? `${thrown.code}: ${thrown.line()}`
        : thrown instanceof Error
          ? thrown.message
          : String(thrown);
    return {
      id: validator.id,
      pass: false,
      evidence: [`could not be run: ${line}`],
      repair: { part: 'steps', hint: 'Mend what the message names.' },
    };
  }
};

export interface CertifiedService {
  certificate: Certificate;
  probes: readonly Probe[];
}

export const certifyService = (
  world: LoadedWorld,
  service: LoadedService,
  validators = SERVICE_VALIDATORS,
): CertifiedService => {
  const subject = subjectOf(world, service);
  const findings = validators.map((validator) => runOne(validator, subject));
  subject.reader.close();
  const certificate: Certificate = {
    treadle: 'certificate/1',
    kind: 'service',
    subject: service.program.hash,
    name: service.id,
    pass: findings.every(({ pass }) => pass),
    findings,
  };
  return { certificate, probes: subject.probes };
};

export interface CertifiedWorld {
  certificate: Certificate;
  services: Record<string, Certificate>;
  probes: readonly Probe[];
  /** What was found out about each invariant; those with a fault are what validators 8 to 10 hold against the world. */
  studies: readonly InvariantStudy[];
  /** Links that validator 7 holds against the world. */
  loose: readonly Link[];
}

/** Everything a world validator may look at; each invariant is studied when the first validator asks. */
export const worldSubjectOf = (world: LoadedWorld, probes: readonly Probe[]): WorldSubject => {
  let opened = 0;
  const open = (): Session => Session.open(world, { id: `certify-world-${opened++}`, me: ME, isUnversioned: true });
  const readers = new Map([...world.services.values()].map((service) => [service.id, rowReader(service)]));
  const rows: WorldSubject['rows'] = (service, table) => readers.get(service)?.(table) ?? [];
  const random = rng(world.spec.seed, 'certify', 'world');
  let studies: InvariantStudy[] | undefined;
  return {
    world,
    me: ME,
    random,
    open,
    rows,
    probes,
    studies: () => {
      studies ??= world.spec.invariants.map((invariant) =>
        studyInvariant({ world, open, rows, random: random.stream(invariant.id) }, invariant),
      );
      return studies;
    },
  };
};

/** One finding a service validator, over all services. */
const gathered = (validator: ServiceValidator, services: Readonly<Record<string, Certificate>>): Finding => {
  const each = Object.entries(services).map(([id, certificate]) => ({
    id,
    finding: certificate.findings.find((finding) => finding.id === validator.id) as Finding,
  }));
  const failed = each.filter(({ finding }) => !finding.pass);
  const evidence = (failed.length > 0 ? failed : each).map(({ id, finding }) => `${id}: ${finding.evidence[0] ?? ''}`);
  const repair = failed[0]?.finding.repair;
  return { id: validator.id, pass: failed.length === 0, evidence, ...(repair ? { repair } : {}) };
};

/** All validators that need one process; determinism is added by determinism/, which takes many worlds at once. */
export const certifyWorld = (world: LoadedWorld): CertifiedWorld => {
  const services: Record<string, Certificate> = {};
  const probes: Probe[] = [];
  for (const service of world.services.values()) {
    const done = certifyService(world, service);
    services[service.id] = done.certificate;
    probes.push(...done.probes);
  }
  const subject = worldSubjectOf(world, probes);
  const findings = [
    ...SERVICE_VALIDATORS.map((validator) => gathered(validator, services)),
    ...WORLD_VALIDATORS.map((validator) => runOne(validator, subject)),
  ];
  return {
    certificate: {
      treadle: 'certificate/1',
      kind: 'world',
      subject: world.hash,
      name: world.spec.id,
      pass: findings.every(({ pass }) => pass),
      findings,
    },
    services,
    probes,
    studies: subject.studies(),
    loose: looseLinks(subject),
  };
};
