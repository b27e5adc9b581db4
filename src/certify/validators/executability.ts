/** 4. executability: every tool has a call on arguments from the data that succeeds, and its result fits its output schema. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import { addressOf } from '../../kit/hash.js';
import type { ServiceValidator } from '../validator.js';
import { takeNotes } from '../validator.js';

const ajv = new Ajv2020({ strict: false, allErrors: false, validateFormats: false });
const compiled = new Map<string, ReturnType<typeof ajv.compile>>();

const validator = (schema: object): ReturnType<typeof ajv.compile> => {
  const key = addressOf(schema);
  const known = compiled.get(key);
  if (known) return known;
  const made = ajv.compile(schema);
  compiled.set(key, made);
  return made;
};

export const executability: ServiceValidator = {
  id: 'executability',
  number: 4,
  title: 'Every tool can be called',
  run: ({ probes }) => {
    const notes = takeNotes();
    for (const probe of probes) {
      if (probe.args === undefined) {
        notes
          .of(probe.tool.tool.name)
          .against(
            `${probe.name} never succeeded: ${probe.lastError ?? 'no call was possible'}`,
            'steps',
            'Seed a row on which it may act, or mend its preconditions.',
          );
        continue;
      }
      const check = validator(probe.tool.tool.outputSchema);
      if (!check(probe.result))
        notes
          .of(probe.tool.tool.name)
          .against(
            `${probe.name} answers outside its output schema: ${ajv.errorsText(check.errors)}`,
            'contract',
            'Make schema and result agree.',
          );
    }
    notes.saw(
      `${probes.filter(({ args }) => args !== undefined).length} of ${probes.length} tools called with success`,
    );
    return notes.finding('executability');
  },
};
