/** The faults that `--fault` asks for, held against the tools that there are. */
import type { Corpus } from '../../corpus/corpus.js';
import { TreadleError } from '../../errors.js';
import { wordsOf } from '../../kit/words.js';
import { type FaultRule, faultRule, lies, matches } from '../../serve/faults/rule.js';
import type { ServerFaults } from '../../serve/faults/session-faults.js';
import { toolsOffered } from '../../serve/sessions/describe.js';
import type { SessionTool } from '../../serve/tool-host.js';

const toolsOf = (corpus: Corpus, id: string): SessionTool[] => {
  const { world, services } = corpus.readDescription(id);
  return toolsOffered(
    world,
    services,
    world.services.map((service) => service.id),
  );
};

const near = (pattern: string, names: Iterable<string>): string[] => {
  const wanted = new Set(wordsOf(pattern));
  return [...names].filter((name) => wordsOf(name).some((word) => wanted.has(word))).slice(0, 5);
};

const noTool = (rule: FaultRule, names: ReadonlySet<string>): TreadleError => {
  const some = near(rule.tool, names);
  const next = some.length > 0 ? `Did you mean ${some.join(', ')}?` : 'treadle show CORPUS WORLD lists the tools.';
  return new TreadleError({
    code: 'unknown_tool',
    message: 'A fault speaks of a tool that no world here has',
    value: rule.text,
    next,
  });
};

const noRead = (rule: FaultRule): TreadleError =>
  new TreadleError({
    code: 'bad_fault',
    message: 'Only tools that read can answer wrongly; the tools of this name write',
    value: rule.text,
    next: 'Take P1 or P2 for tools that write.',
  });

/** Throws `bad_fault`, and `unknown_tool` for a rule that speaks of no tool of these worlds. Worlds are read until each rule has met one. */
export const faultsOf = (
  texts: readonly string[],
  seed: string,
  corpus: Corpus,
  worlds: readonly string[],
): ServerFaults | undefined => {
  if (texts.length === 0) return undefined;
  const rules = texts.map(faultRule);
  const unmet = new Set(rules);
  const onlyWrites = new Set<FaultRule>();
  const names = new Set<string>();
  for (const id of worlds) {
    if (unmet.size === 0) break;
    const tools = toolsOf(corpus, id);
    for (const { name } of tools) names.add(name);
    for (const rule of unmet) {
      const hit = tools.filter(({ name }) => matches(rule, name));
      if (hit.some(({ readOnly }) => readOnly || !lies(rule.profile))) unmet.delete(rule);
      else if (hit.length > 0) onlyWrites.add(rule);
    }
  }
  for (const rule of unmet) throw onlyWrites.has(rule) ? noRead(rule) : noTool(rule, names);
  return { rules, seed };
};
