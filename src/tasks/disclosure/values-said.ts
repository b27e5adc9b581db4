/** The values that the last call of a request takes, as the request says them. */

import { argPath } from '../../world/surface/args.js';
import type { Candidate } from '../atomic/candidate.js';
import type { Ground } from '../ground/ground.js';
import { sayLabel } from '../ground/say.js';
import { nounOf } from '../words/names.js';
import type { Said } from '../words/verbs.js';
import { subjectOf } from './subject.js';

/** In the order of the tool's arguments; what is looked up, and goes without saying, is left out. */
export const argumentsSaid = (ground: Ground, { plan, bindings }: Candidate): Said[] => {
  const index = plan.calls.length - 1;
  const call = plan.calls[index];
  const found = call ? ground.world.tools.get(call.tool) : undefined;
  if (!found || found.tool.tool.writes.length === 0) return [];
  const { service, tool } = found;
  const cols = service.spec.tables[tool.tool.table]?.cols ?? {};
  return Object.entries(tool.tool.args).flatMap(([name, arg]): Said[] => {
    const path = argPath(service.spec, name, arg).join('.');
    const col = arg.col ?? name;
    const source = plan.sources.find((one) => one.call === index && one.arg === path);
    if (source && 'brief' in source.from) {
      const isText = arg.type === 'text' && !arg.enum && !cols[col]?.enum;
      return [{ name: col, words: source.from.brief, isText }];
    }
    const reference = new RegExp(`^ref\\d+_${col}$`);
    const binding = bindings.find((one) => reference.test(one.name));
    const target = binding ? ground.world.services.get(binding.service) : undefined;
    const table = binding ? target?.spec.tables[binding.table] : undefined;
    const subject = binding ? subjectOf(ground, binding) : undefined;
    if (!table || !subject) return [];
    const isLabelled = subject.descriptors.length === 1 && subject.descriptors[0]?.col === table.label;
    const words = isLabelled ? sayLabel(table, subject.row) : subject.phrases[0];
    if (words === undefined) return [];
    return [{ name: col, words, isText: false, noun: nounOf(table), isPerson: target?.role === 'core' }];
  });
};
