/** The authoring benchmark: how often a model's world passes the oracle, with and without a recipe (AgentMercury, table 5). */

import type { BuiltWorld } from '../../author/assemble.js';
import { authorFromBrief } from '../../author/catalogue/author.js';
import type { WorldDraft } from '../../author/draft.js';
import { authorWithModel } from '../../author/model/author.js';
import type { Budget } from '../../author/model/budget.js';
import type { AuthorReport, Certify } from '../../author/model/types.js';
import type { ModelClient } from '../../models/types.js';
import { blueprintOf } from './blueprint.js';
import type { HeldOutBrief } from './briefs.js';
import { planAnswer } from './notation/entries.js';

export interface BenchRun {
  brief: string;
  recipe: boolean;
  outcome: AuthorReport['outcome'] | 'endpoint';
  /** Validators passed of those that ran; 0 where no world could be certified. */
  passed: number;
  of: number;
  failed: string[];
  rounds: number;
  promptTokens: number;
  completionTokens: number;
  usd?: number;
}

/** Validators that run in one process: all but determinism. */
const RUNNING = 11;

export const runOf = (brief: string, recipe: boolean, report: AuthorReport): BenchRun => {
  const findings = report.outcome === 'nothing' ? [] : (report.certificate?.findings ?? []);
  const { rounds, promptTokens, completionTokens, usd } = report.spent;
  const failed = findings.flatMap(({ id, pass }) => (pass ? [] : [id]));
  return {
    brief,
    recipe,
    outcome: report.outcome,
    passed: findings.length - failed.length,
    of: Math.max(findings.length, RUNNING),
    failed: findings.length === 0 ? ['no_world'] : failed,
    rounds,
    promptTokens,
    completionTokens,
    ...(usd === undefined ? {} : { usd }),
  };
};

/** The staged plan as a hint: what our own author would plan for the brief, and in which order the parts come. */
export const recipeOf = async (
  { text, archetypes }: HeldOutBrief,
  assemble: (draft: WorldDraft) => BuiltWorld,
  certify: Certify,
): Promise<string> => {
  const built = assemble(authorFromBrief(text, { seed: 'recipe', pins: { archetypes } }));
  const blueprint = await blueprintOf({ ...built, certificates: {} }, 'recipe', certify);
  const stages =
    'First plan the services, then write their tables, then the actions, then rules between two different services.';
  if ('skipped' in blueprint) return `Recipe: ${stages}`;
  const plan = JSON.stringify(planAnswer(blueprint.works, blueprint.shared, blueprint.country));
  const rules = blueprint.rules.map(({ says }) => says).join(' ');
  return `Recipe: ${stages} A plan that works: ${plan} Rules that work: ${rules}`;
};

/** The model with the recipe behind its instructions. */
export const withRecipe = (model: ModelClient, recipe: string): ModelClient => ({
  model: model.model,
  chat: (request, signal) =>
    model.chat(
      {
        ...request,
        messages: request.messages.map((message, n) =>
          n === 0 && message.role === 'system' ? { ...message, content: `${message.content}\n${recipe}` } : message,
        ),
      },
      signal,
    ),
});

export interface BenchRequest {
  model: ModelClient;
  brief: HeldOutBrief;
  recipe: string | undefined;
  certify: Certify;
  budget: Budget;
  /** Where the conversation is kept; an unfinished one is gone on with. */
  conversation: string;
}

/** Authors one brief and says how it went. Throws what the endpoint said when it never answered. */
export const benchBrief = async ({
  model,
  brief,
  recipe,
  certify,
  budget,
  conversation,
}: BenchRequest): Promise<BenchRun> => {
  const { report } = await authorWithModel({
    model: recipe === undefined ? model : withRecipe(model, recipe),
    source: { brief: brief.text },
    seed: 'bench',
    certify,
    budget,
    conversation,
  });
  return runOf(brief.text, recipe !== undefined, report);
};
