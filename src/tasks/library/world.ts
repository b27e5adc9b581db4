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
import { accountOf } from '../model/account.js';
import { ModelAuthor, Together } from '../model/author.js';
import { type TaskModels, withVerdict } from '../model/models.js';
import { EmbeddedAuthor, type Gap } from './author.js';
import { errandsOf } from './errands.js';
import type { AtomicProposal } from './proposal.js';
import { type LoopResult, type RoundReport, runRounds, type Validation } from './rounds.js';

import type { Feedback, Synthesizer } from './synthesizer.js';
import { addCertificate, emptyTally } from './tally.js';

export interface LibraryOptions extends LibrarySettings {
  /** Does what `model` says; without it the embedded author writes, and nobody judges. */
  models?: TaskModels;
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

type Author = Synthesizer<AtomicProposal> & {
  gaps(heard: Pick<Feedback<AtomicProposal>, 'uncovered' | 'failures'>): readonly Gap[];
};

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
  readonly #models: TaskModels | undefined;

  constructor(ground: Ground, random: Rng, models: TaskModels | undefined) {
    this.#ground = ground;
    this.#random = random;
    this.#models = models;
    this.#stray = strayCall(ground, random.stream('stray'));
  }

  async validate(proposal: AtomicProposal): Promise<Validation> {
    const { id, task, refused } = proposal;
    if (!task) return { pass: false, diagnostics: [refused ?? 'there is no task'] };
    const certificate = await this.#judged(task, this.#gate(proposal, task));
    addCertificate(this.tally, certificate);
    this.certificates.set(id, certificate);
    return { pass: certificate.pass, diagnostics: diagnosticsOf(certificate) };
  }

  #gate({ id, other, wrong, right, ground }: AtomicProposal, task: Task): Certificate {
    const random = this.#random.stream(`gate-${id}-${this.tally.gated}`);
    return gate(ground ?? this.#ground, task, { random, stray: this.#stray, other, wrong, right });
  }

  /** With a model's verdict, where one is asked; what the gate refuses is not worth a call. */
  async #judged(task: Task, certificate: Certificate): Promise<Certificate> {
    const models = this.#models;
    if (!models || !certificate.pass) return certificate;
    const verdict = await models.judge(task.id, () => accountOf(this.#ground, task));
    return verdict ? withVerdict(certificate, models.model, verdict) : certificate;
  }

  /** A task with the certificate that it passed with; in other words, where a model finds some that pass as well. */
  async proven(proposal: AtomicProposal): Promise<{ task: Task; certificate: Certificate }[]> {
    const { id, task } = proposal;
    const certificate = this.certificates.get(id);
    if (!task || !certificate) return [];
    const words = await this.#models?.words(task);
    if (!words) return [{ task, certificate }];
    const reworded = { ...task, ...words };
    const again = await this.#judged(reworded, this.#gate(proposal, reworded));
    const [fault] = diagnosticsOf(again);
    if (fault === undefined) this.#models?.changed();
    else this.#models?.keep(fault);
    return [again.pass ? { task: reworded, certificate: again } : { task, certificate }];
  }
}

const authorOf = (ground: Ground, service: LoadedService, { seed, rounds, model, models }: LibraryOptions): Author => {
  const embedded = new EmbeddedAuthor(ground, service, rng(seed, 'library', ground.world.spec.id, service.id));
  if (!models || !model || model.author === 'embedded') return embedded;
  const author = new ModelAuthor(models.desk, ground, service);
  return model.author === 'model' ? author : new Together(author, embedded, rounds);
};

const serviceLibrary = async (
  ground: Ground,
  service: LoadedService,
  options: LibraryOptions,
  trials: Trials,
): Promise<ServiceLibrary> => {
  const tools = toolsOf(ground.world, service.id).map(({ tool }) => `${service.id}.${tool.tool.id}`);
  const author = authorOf(ground, service, options);
  const { coverage, rounds, onRound } = options;
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
  const trials = new Trials(ground, random, options.models);
  const services: ServiceLibrary[] = [];
  for (const service of world.services.values()) services.push(await serviceLibrary(ground, service, options, trials));
  const retained = services.flatMap(({ result }) => result.retained);
  const tried = errandsOf(ground, retained, Math.ceil(ERRAND_SHARE * retained.length), random.stream('errands'));
  const errands: AtomicProposal[] = [];
  for (const proposal of tried) if ((await trials.validate(proposal)).pass) errands.push(proposal);
  const tasks: WorldLibrary['tasks'] = [];
  for (const proposal of [...retained, ...errands]) tasks.push(...(await trials.proven(proposal)));
  const proposals = services.flatMap(({ result }) => [
    ...result.passing,
    ...result.failures.map(({ proposal }) => proposal),
  ]);
  for (const { release } of [...proposals, ...tried]) release?.();
  return { tasks, services, errands, tally: trials.tally };
};
