/** Changes of a world in the author's notation: how they are asked for, written and put in place. */
import { z } from 'zod';
import type { Invariant } from '../../artifacts/world.js';
import { marked, SYSTEM } from '../../author/model/prompts.js';
import type { ServiceWork } from '../../author/model/spec/service.js';
import { shownService } from '../../author/model/spec/show.js';
import type { ChatMessage } from '../../models/types.js';
import { askExpert } from './expert.js';
import type { ActionEntry, RuleEntry, TableEntry } from './notation/entries.js';
import { actionsStage, type Desk, rulesStage, tablesStage } from './stages.js';

export type Operation =
  | { add: 'column'; at: string; column: string }
  | { add: 'action'; at: string; action: ActionEntry }
  | { add: 'table'; at: string; table: TableEntry }
  | { add: 'rule'; rule: RuleEntry }
  | { drop: string };

/** A diff as a model answers it. */
export const Change = z.strictObject({ diff: z.array(z.record(z.string(), z.unknown())).min(1) });

export const CHANGE = `Form: {"diff":[{"add":"column","at":"lending.loan","column":"fine: money =0 >=0"},{"add":"action","at":"lending","action":{"table":"loan","action":"extend","says":"Give a loan a later due date.","from":["lent"],"writes":["due_on!"]}},{"add":"table","at":"lending","table":{"name":"fine","noun":"fine","about":"What a late loan costs.","columns":["fine_no: no FI-","loan_id: fk! loan"]}},{"add":"rule","rule":{}},{"drop":"lending.loan.fine"},{"drop":"lending.loan.renew"}]}
- Only what the request asks for; what is not named stays as it is. An action, a table and a rule have the forms of the world's own.
- "drop" names a column or an action as service.table.name.`;

const shownRule = ({ says, trigger, target, key }: Invariant): string =>
  `- ${says} [${trigger.service}.${trigger.table} where ${trigger.where}; ${target.expect} of ${target.service}.${target.table} where ${target.where}; key ${key.trigger} = ${key.target}]`;

/** The world as it stands and what is wanted, as the messages of one turn. */
export const changeMessages = (
  works: readonly ServiceWork[],
  rules: readonly Invariant[],
  request: string,
): ChatMessage[] => [
  { role: 'system', content: SYSTEM },
  {
    role: 'user',
    content: `Part: change\nThe services:\n${works.map(shownService).join('\n')}\nRules:\n${rules.map(shownRule).join('\n')}\nWhat is wanted:\n${marked(request)}\nWrite the change.\n${CHANGE}`,
  },
];

const dropped = (works: readonly ServiceWork[], path: string): boolean => {
  const [service, table = '', name = ''] = path.split('.');
  const own = works.find(({ id }) => id === service)?.tables[table];
  if (!own) return false;
  if (own.verbs && Object.hasOwn(own.verbs, name)) delete own.verbs[name];
  else if (Object.hasOwn(own.cols, name)) delete own.cols[name];
  else return false;
  return true;
};

export interface Changed {
  works: ServiceWork[];
  rules: Invariant[];
}

/** Puts a written diff in place, through the author's own readers; undefined when they refuse any of it. */
export const putInPlace = async (
  desk: Desk,
  rules: readonly Invariant[],
  answer: string,
): Promise<Changed | undefined> => {
  const read = Change.safeParse(JSON.parse(answer));
  if (!read.success) return undefined;
  const works = structuredClone(desk.works);
  const now = (): Desk => ({ ...desk, works });
  let kept = [...rules];
  for (const operation of read.data.diff as unknown as Operation[]) {
    if ('drop' in operation) {
      if (!dropped(works, operation.drop)) return undefined;
      continue;
    }
    if (operation.add === 'rule') {
      const stage = rulesStage(now(), [], kept);
      if ((await askExpert(stage.part, { rules: [operation.rule] })).left.length > 0) return undefined;
      kept = stage.rules();
      continue;
    }
    const [service, table = ''] = operation.at.split('.');
    const work = works.find(({ id }) => id === service);
    if (!work) return undefined;
    if (operation.add === 'column') {
      const own = work.tables[table];
      const [name = '', text = ''] = operation.column.split(/: /);
      if (!own || Object.hasOwn(own.cols, name)) return undefined;
      own.cols = { ...own.cols, [name]: text };
      const stage = tablesStage(now(), work, work);
      if (stage.part.read({ tables: [] }).length > 0) return undefined;
    } else if (operation.add === 'action') {
      const stage = actionsStage(now(), work, [], work);
      if ((await askExpert(stage.part, { actions: [operation.action] })).left.length > 0) return undefined;
    } else {
      const stage = tablesStage(now(), work, work);
      if ((await askExpert(stage.part, { tables: [operation.table] })).left.length > 0) return undefined;
    }
  }
  return { works, rules: kept };
};
