/** What the ten rules ask of fault events besides: only reads lie, and a lie is contradicted by something that is really shown. */
import type { ScenarioEvent } from '../../../artifacts/scenario.js';
import type { LedgerEntry } from '../../../artifacts/trace.js';
import { canonicalJson, type Json } from '../../../kit/hash.js';
import { lies } from '../../../serve/faults/rule.js';
import { memoryOf } from '../believing.js';
import type { Case } from '../case.js';
import { contradicts } from '../contradiction.js';
import type { Stage } from '../trial.js';

const faultOf = ({ effect }: ScenarioEvent) => ('fault' in effect ? effect.fault : undefined);

/** Why the fault cannot strike; undefined where it can. */
export const impossibleFault = ({ world, task }: Stage, event: ScenarioEvent): string | undefined => {
  const fault = faultOf(event);
  const found = fault && world.tools.get(fault.tool);
  if (!fault) return undefined;
  if (!found || !task.services.includes(found.service.id)) return `the task has no tool ${fault.tool}`;
  if (lies(fault.profile) && found.tool.tool.writes.length > 0)
    return `${fault.tool} writes, and a write that reports what it did not do could not be told from a defect`;
  return undefined;
};

/** What the call truly shows: other events may have put calls before it. */
const truthOf = (stage: Stage, { tool, args, index }: LedgerEntry): Json | undefined => {
  const { calls } = stage.task.reference;
  const same = calls.flatMap((call, n) =>
    call.tool === tool && canonicalJson(call.args) === canonicalJson(args) ? [n] : [],
  );
  const [nearest] = same.sort((a, b) => Math.abs(a - index) - Math.abs(b - index));
  return nearest === undefined ? undefined : memoryOf(stage).results[nearest];
};

/** Why a lie cannot be noticed in the re-solved reference's run; undefined where it can, or where nothing lies. */
export const unnoticeableLie = (
  { stage, solved: { session } }: Pick<Case, 'stage' | 'solved'>,
  event: ScenarioEvent,
): string | undefined => {
  const fault = faultOf(event);
  if (!fault || !lies(fault.profile)) return undefined;
  const struck = session.ledger.find(
    ({ injected, tool }) => injected?.profile === fault.profile && tool === fault.tool,
  );
  if (!struck) return 'no call of the re-solved reference is lied to';
  const tool = stage.world.tools.get(fault.tool);
  const truth = truthOf(stage, struck);
  const told = event.notify.discoverBy ?? [];
  const isShown = session.ledger.some((entry) => {
    const other = stage.world.tools.get(entry.tool);
    return (
      entry.index > struck.index &&
      entry.ok &&
      !entry.injected &&
      told.includes(entry.tool) &&
      tool &&
      other &&
      truth !== undefined &&
      contradicts({ tool, truth, lie: struck.result as Json }, { tool: other, result: entry.result as Json })
    );
  });
  return isShown
    ? undefined
    : `nothing that ${told.join(', ') || 'any tool'} shows contradicts what ${fault.tool} says`;
};
