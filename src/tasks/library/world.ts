/** The library of a world: the union of its services' certified libraries, and errands across them (weft.txt 3.1.2). */
import type { Certificate } from '../../artifacts/certificate.js';
import type { Task } from '../../artifacts/task.js';
import type { GateTally, LibrarySettings } from '../../corpus/library.js';
import { type Rng, rng } from '../../kit/rng.js';
import type { LoadedService, LoadedWorld } from '../../world/loaded.js';
import { gate } from '../gate.js';
import { strayCall } from '../generate.js';
import { type Ground, prepareGround } from '../ground/ground.js';
import { toolsOf } from '../ground/reveal.js';
import { EmbeddedAuthor, type Gap } from './author.js';
import { errandsOf } from './errands.js';
import type { AtomicProposal } from './proposal.js';
import { type LoopResult, type RoundReport, runRounds, type Validation } from './rounds.js';
import type { Proposal } from './synthesizer.js';
import { addCertificate, emptyTally } from './tally.js';

export interface LibraryOptions extends LibrarySettings {
  onRound?: (service: string, round: RoundReport) => void;
}

export interface ServiceLibrary {
  service: LoadedService;
  /** `service.tool.id` of every tool. */
  tools: readonly string[];
  result: LoopResult<AtomicProposal>;
  gaps: readonly Gap[];
}

export interface WorldLibrary {
  /** The retained tasks of all services, then the errands. */
  tasks: { task: Task; certificate: Certificate }[];
  services: readonly ServiceLibrary[];
  errands: readonly AtomicProposal[];
  tally: GateTally;
}

/** Errands a retained task: enough that every service meets others, few enough that single tasks stay the rule. */
const ERRAND_SHARE = 0.15;

/** The gate's failed lines, as the author is told of them. */
const diagnosticsOf = ({ findings }: Certificate): string[] =>
  findings.filter(({ pass }) => !pass).map(({ id, evidence }) => `${id}: ${evidence.slice(0, 2).join('; ')}`);

/** Runs proposals through the gate, each from its own fresh state, and keeps what was seen. */
class Trials {
  readonly certificates = new Map<string, Certificate>();
  readonly tally = emptyTally();
  readonly #ground: Ground;
  readonly #random: Rng;
  readonly #stray;

  constructor(ground: Ground, random: Rng) {
    this.#ground = ground;
    this.#random = random;
    this.#stray = strayCall(ground, random.stream('stray'));
  }

  validate({ id, task, other, wrong, right, ground }: Proposal): Validation {
    const random = this.#random.stream(`gate-${id}-${this.tally.gated}`);
    const certificate = gate(ground ?? this.#ground, task, { random, stray: this.#stray, other, wrong, right });
    addCertificate(this.tally, certificate);
    this.certificates.set(id, certificate);
    return { pass: certificate.pass, diagnostics: diagnosticsOf(certificate) };
  }

  /** A task with the certificate that it passed with. */
  proven({ id, task }: Proposal): { task: Task; certificate: Certificate } {
    return { task, certificate: this.certificates.get(id) as Certificate };
  }
}

const serviceLibrary = async (
  ground: Ground,
  service: LoadedService,
  { seed, coverage, rounds, onRound }: LibraryOptions,
  trials: Trials,
): Promise<ServiceLibrary> => {
  const tools = toolsOf(ground.world, service.id).map(({ tool }) => `${service.id}.${tool.tool.id}`);
  const author = new EmbeddedAuthor(ground, service, rng(seed, 'library', ground.world.spec.id, service.id));
  const result = await runRounds(author, {
    tools,
    coverage,
    rounds,
    validate: (proposal) => trials.validate(proposal),
    onRound: (round) => onRound?.(service.id, round),
  });
  return { service, tools, result, gaps: author.gaps(result) };
};

/** Libraries of all services of a world. Deterministic in world and settings. */
export const worldLibrary = async (world: LoadedWorld, options: LibraryOptions): Promise<WorldLibrary> => {
  const ground = prepareGround(world);
  const random = rng(options.seed, 'library', world.spec.id);
  const trials = new Trials(ground, random);
  const services: ServiceLibrary[] = [];
  for (const service of world.services.values()) services.push(await serviceLibrary(ground, service, options, trials));
  const retained = services.flatMap(({ result }) => result.retained);
  const tried = errandsOf(ground, retained, Math.ceil(ERRAND_SHARE * retained.length), random.stream('errands'));
  const errands = tried.filter((proposal) => trials.validate(proposal).pass);
  const proposals = services.flatMap(({ result }) => [
    ...result.passing,
    ...result.failures.map(({ proposal }) => proposal),
  ]);
  for (const { release } of [...proposals, ...tried]) release?.();
  const tasks = [...retained, ...errands].map((proposal) => trials.proven(proposal));
  return { tasks, services, errands, tally: trials.tally };
};
