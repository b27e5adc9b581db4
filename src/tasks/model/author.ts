/**
 * A model as the author of a service's tasks (Algorithm 1, weft.txt A.1): it sees tools and rows, writes a few tasks at a time, and
 * is told what became of them. What it writes is data: only the service's own tools are ever called.
 */
import type { Desk } from '../../author/model/desk.js';
import { isoDate } from '../../kit/calendar.js';
import type { LoadedService } from '../../world/loaded.js';
import type { Ground } from '../ground/ground.js';
import { toolsOf } from '../ground/reveal.js';
import type { Gap } from '../library/author.js';
import { type AtomicProposal, idOf } from '../library/proposal.js';
import type { Feedback, Synthesizer } from '../library/synthesizer.js';
import { ask } from './ask.js';
import { BATCH, Batch, BatchForm, RULES, SYSTEM } from './form.js';
import { cut, marked } from './marked.js';
import { sampleRows, toolLines } from './show.js';
import { proposalFrom } from './write.js';

/** Refused tasks of the last round that are shown, and how much of each. */
const MOST_TOLD = 6;
const MOST_WRITTEN = 900;
const MOST_KNOWN = 25;

type Heard = Feedback<AtomicProposal>;

export class ModelAuthor implements Synthesizer<AtomicProposal> {
  readonly #desk: Desk;
  readonly #ground: Ground;
  readonly #service: LoadedService;
  /** What was written of each proposal, as text. */
  readonly #written = new Map<string, string>();
  readonly #names: ReadonlyMap<string, string>;
  #count = 0;
  #told = 0;
  /** It said that there is nothing more to ask for. */
  #isDone = false;

  constructor(desk: Desk, ground: Ground, service: LoadedService) {
    this.#desk = desk;
    this.#ground = ground;
    this.#service = service;
    this.#names = new Map(
      toolsOf(ground.world, service.id).map(({ name, tool }) => [`${service.id}.${tool.tool.id}`, name]),
    );
  }

  first(): Promise<AtomicProposal[]> {
    const uncovered = [...this.#names.keys()];
    return this.#batch({ round: 0, passing: [], failures: [], redundant: [], uncovered });
  }

  revise(heard: Heard): Promise<AtomicProposal[]> {
    return this.#batch(heard);
  }

  /** Tools without a task among `uncovered`, with the last thing that stood in the way of one. */
  gaps({ uncovered, failures }: Pick<Heard, 'uncovered' | 'failures'>): Gap[] {
    return uncovered.map((tool) => {
      const name = this.#names.get(tool) ?? tool;
      const last = failures.findLast(({ proposal }) => this.#written.get(proposal.id)?.includes(`"${name}"`));
      return { tool, reason: last?.diagnostics[0] ?? this.#desk.ended?.why ?? 'the model wrote no task that calls it' };
    });
  }

  async #batch(heard: Heard): Promise<AtomicProposal[]> {
    if (this.#desk.ended || this.#isDone) return [];
    const service = this.#service;
    const said = await ask(this.#desk, {
      part: `tasks of ${service.id}`,
      system: SYSTEM,
      prompt: this.#prompt(heard),
      form: BatchForm,
      read: Batch,
    });
    this.#told = heard.failures.length;
    if ('why' in said) return this.#desk.ended ? [] : [this.#unread(said.why)];
    this.#isDone = said.value.tasks.length === 0;
    return said.value.tasks.slice(0, BATCH).map((written) => {
      const proposal = proposalFrom(this.#ground, service, written, this.#nextId());
      this.#written.set(proposal.id, JSON.stringify(written));
      return proposal;
    });
  }

  #nextId(): string {
    return idOf(this.#ground.world.spec.id, this.#service.id, 'model', String(++this.#count).padStart(3, '0'));
  }

  /** An answer that nobody can read is a failure like others: the loop goes on to the next round. */
  #unread(why: string): AtomicProposal {
    return {
      ...proposalFrom(this.#ground, this.#service, undefined, this.#nextId()),
      refused: `unreadable answer: ${why}`,
    };
  }

  #prompt({ round, passing, failures, redundant, uncovered }: Heard): string {
    const { world, actor } = this.#ground;
    const open = uncovered.map((id) => this.#names.get(id) ?? id);
    const last = failures.slice(this.#told).slice(-MOST_TOLD);
    const known = passing
      .slice(-MOST_KNOWN)
      .map(({ task, chain }) => `- ${chain.join(' > ')}: ${cut(task?.brief ?? '', 160)}`);
    const spare = redundant.map(
      ({ id, with: holder }) => `- ${this.#line(passing, id)} adds nothing to ${this.#line(passing, holder)}`,
    );
    const refusals = last.map(
      ({ proposal, diagnostics }) =>
        `- ${cut(this.#written.get(proposal.id) ?? 'the answer', MOST_WRITTEN)}\n  refused: ${cut(diagnostics.join('; '), 500)}`,
    );
    return [
      `The service ${this.#service.id} of ${world.spec.company.name}. Today is ${isoDate(world.spec.clock)}. ${actor.name} (${actor.title}) asks.`,
      marked('tools', toolLines(this.#ground, this.#service)),
      'Some of its rows, and how results look:',
      marked('rows', sampleRows(this.#ground, this.#service, round + 1)),
      known.length > 0 ? `There are tasks already; do not write them again:\n${marked('seen', known.join('\n'))}` : '',
      spare.length > 0
        ? `Redundant, since the calls of one hold those of the other:\n${marked('seen', spare.join('\n'))}`
        : '',
      refusals.length > 0
        ? `Refused in the last round; mend them or write others:\n${marked('seen', refusals.join('\n'))}`
        : '',
      `Tools without a task: ${open.join(', ') || 'none'}.`,
      `Write at most ${BATCH} tasks that call tools without a task, or {"tasks":[]} where there is nothing more to ask for.`,
      RULES,
    ]
      .filter(Boolean)
      .join('\n\n');
  }

  #line(passing: Heard['passing'], id: string): string {
    return passing.find((one) => one.id === id)?.chain.join(' > ') ?? id;
  }
}

/** The model for half of the rounds, and then whatever it left to `other`. */
export class Together implements Synthesizer<AtomicProposal> {
  readonly #model: ModelAuthor;
  readonly #other: Synthesizer<AtomicProposal>;
  readonly #rounds: number;

  constructor(model: ModelAuthor, other: Synthesizer<AtomicProposal>, rounds: number) {
    this.#model = model;
    this.#other = other;
    this.#rounds = Math.ceil(rounds / 2);
  }

  async first(): Promise<readonly AtomicProposal[]> {
    const batch = await this.#model.first();
    return batch.length > 0 ? batch : this.#other.first();
  }

  async revise(heard: Heard): Promise<readonly AtomicProposal[]> {
    const batch = heard.round < this.#rounds ? await this.#model.revise(heard) : [];
    return batch.length > 0 ? batch : this.#other.revise(heard);
  }

  gaps(heard: Pick<Heard, 'uncovered' | 'failures'>): Gap[] {
    return this.#model.gaps(heard);
  }
}
