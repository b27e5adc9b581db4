/** 4. executability: every tool has a call on arguments from the data that succeeds, and its results fit its output schema. */
import type { Json } from '../../kit/hash.js';
import { placesOf, rowsOf } from '../answer.js';
import { type CallArgs, writeArgs } from '../arguments.js';
import { emptyArgs, sparseRows } from '../empty-call.js';
import type { Probe } from '../probes.js';
import { argOf, askedArgs } from '../questions.js';
import { misfit } from '../schema-fit.js';
import type { ServiceSubject, ServiceValidator } from '../validator.js';
import { takeNotes } from '../validator.js';

/** Rows that a get tool is asked for beside the probe's. */
const SPARSE = 2;

/** Further calls of a read whose answers look different: a full page, a page of one, none at all, rows with empty cells. */
const variants = (subject: ServiceSubject, probe: Probe): CallArgs[] => {
  const { tool } = probe.tool.tool;
  const { spec } = subject;
  if (tool.op === 'get') {
    const key = argOf(tool, 'key');
    const alone = key && Object.entries(tool.args).every(([name, arg]) => name === key[0] || !arg.required);
    const isKey = key && (key[1].col ?? key[0]) === spec.tables[tool.table]?.key.col;
    if (!key || !alone || !isKey) return [];
    return sparseRows(subject, tool.table, SPARSE).map((value) => writeArgs(spec, tool, { [key[0]]: value }));
  }
  if (tool.op !== 'list' && tool.op !== 'search') return [];
  const [base] = subject.questions(tool);
  if (!base) return [];
  const limit = argOf(tool, 'limit');
  const sizes = limit ? [limit[1].max ?? 100, limit[1].min ?? 1].map((size) => ({ [limit[0]]: size })) : [{}];
  const values = {
    ...Object.fromEntries(base.conditions.map(({ name, value }) => [name, value])),
    ...(base.text && { [base.text.name]: base.text.words }),
  };
  const none = emptyArgs(subject, tool, values);
  return [...sizes.map((steering) => askedArgs(subject, tool, base, steering)), ...(none ? [none] : [])];
};

/** Results of the probe and of its variants that do not fit the declared output. */
const schemaFault = (subject: ServiceSubject, probe: Probe): string | undefined => {
  const { tool, outputSchema } = probe.tool.tool;
  const check = (result: Json): string | undefined => misfit(outputSchema, result);
  const own = check(probe.result ?? null);
  if (own !== undefined) return own;
  for (const args of variants(subject, probe)) {
    const outcome = subject.reader.keep(probe.name, args);
    const fault = outcome.ok ? check(outcome.result) : undefined;
    if (fault !== undefined) {
      const empty = rowsOf(placesOf(subject.spec, tool), outcome.result)?.length === 0;
      return `${fault}${empty ? ' (in an answer without rows)' : ''}`;
    }
  }
  return undefined;
};

export const executability: ServiceValidator = {
  id: 'executability',
  number: 4,
  title: 'Every tool can be called',
  run: (subject) => {
    const notes = takeNotes();
    const { probes } = subject;
    for (const probe of probes) {
      const own = notes.of(probe.tool.tool.name);
      if (probe.args === undefined) {
        own.against(
          `${probe.name} never succeeded: ${probe.lastError ?? 'no call was possible'}`,
          'steps',
          'Seed a row on which it may act, or mend its preconditions.',
        );
        continue;
      }
      const fault = schemaFault(subject, probe);
      if (fault !== undefined)
        own.against(
          `${probe.name} answers outside its output schema: ${fault}`,
          'contract',
          'Make schema and result agree.',
        );
    }
    const called = probes.filter(({ args }) => args !== undefined).length;
    const prepared = probes.filter(({ before }) => before !== undefined);
    notes.saw(
      `${called} of ${probes.length} tools called with success; their answers, empty ones too, fit their schemas`,
    );
    if (prepared.length > 0)
      notes.saw(`after calls that make a row ready: ${prepared.map(({ name }) => name).join(', ')}`);
    return notes.finding('executability');
  },
};
