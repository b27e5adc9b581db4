/** Disclosure of a task of many stages, from the disclosures of the atomic tasks that its stages are. */
import type { Disclosure, Feed, Stage, Unknown } from '../../artifacts/disclosure.js';
import type { Binding, Call, Task } from '../../artifacts/task.js';
import { canonicalJson } from '../../kit/hash.js';
import { looseBriefs } from './briefs.js';

/** A stage as it was grown: its atomic task, and what became of it in the whole. */
export interface GrownStage {
  node: string;
  task: Pick<Task, 'disclosure' | 'reference' | 'bindings'>;
  /** Its calls, those left out that an earlier stage has made. */
  calls: readonly Call[];
  /** Earlier stages whose findings it uses, with what it is. */
  informedBy: readonly { node: string; what: string }[];
}

const same = (one: Call, other: Call): boolean =>
  one.tool === other.tool && canonicalJson(one.args) === canonicalJson(other.args);

/** Where a feed of the atomic task lies in the whole; undefined where the call that it fed is left out. */
const movedFeed = (
  feed: Feed,
  { task, calls }: GrownStage,
  callsBefore: number,
  bindings: readonly Binding[],
): Feed | undefined => {
  if ('call' in feed) {
    const made = task.reference.calls[feed.call];
    const at = made ? calls.findIndex((call) => same(call, made)) : -1;
    return at < 0 ? undefined : { ...feed, call: callsBefore + at };
  }
  const own = task.bindings.find(({ name }) => name === feed.binding);
  const there = bindings.find(
    ({ service, table, key }) => service === own?.service && table === own.table && key === own.key,
  );
  return there && { ...feed, binding: there.name };
};

/** An id that an earlier stage has brought up already. */
const foundEarlier = (unknown: Unknown, { informedBy }: GrownStage): Unknown => {
  const noun = unknown.asked[0]?.replace(/ id$/, '') ?? '';
  const from = informedBy.find(({ what }) => unknown.id !== 'answer' && what.includes(` ${noun} `))?.node;
  return from === undefined ? unknown : { ...unknown, from };
};

/** Stages in the order in which they were grown, which is the order of their dependencies; `bindings` are the whole task's; the reason comes first. */
export const composedDisclosure = (
  brief: string,
  grown: readonly GrownStage[],
  bindings: readonly Binding[],
  reason = '',
): Disclosure => {
  let callsBefore = 0;
  const stages = grown.flatMap((one, n): Stage[] => {
    const said = (text: string): string => (n === 0 && reason !== '' ? `${reason} ${text}` : text);
    const own = one.task.disclosure.stages.map((stage) => ({
      ...stage,
      node: one.node,
      full: said(stage.full),
      partial: said(stage.partial),
      vague: said(stage.vague),
      facts: stage.facts.map((fact) =>
        typeof fact === 'string'
          ? fact
          : { ...fact, feeds: fact.feeds.flatMap((feed) => movedFeed(feed, one, callsBefore, bindings) ?? []) },
      ),
      ...(stage.unknown ? { unknown: stage.unknown.map((unknown) => foundEarlier(unknown, one)) } : {}),
    }));
    callsBefore += one.calls.length;
    return own;
  });
  const briefs = looseBriefs(brief, stages);
  return {
    persona: grown[0]?.task.disclosure.persona ?? 'plain',
    stages,
    ...(briefs ? { briefs } : {}),
  };
};
