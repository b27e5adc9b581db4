/** Sources of events as an option names them. */
import type { ScenarioEvent } from '../../../artifacts/scenario.js';
import { TreadleError } from '../../../errors.js';

export const SOURCES = ['requirement', 'state', 'information', 'fault'] as const satisfies ScenarioEvent['source'][];

export const isEventSource = (name: string): name is ScenarioEvent['source'] =>
  (SOURCES as readonly string[]).includes(name);

/** Reads `requirement,state`, in the order of `SOURCES`. Throws `bad_option`. */
export const sourcesIn = (text: string): ScenarioEvent['source'][] => {
  const named = text.split(',').map((part) => part.trim());
  const unknown = named.find((name) => !isEventSource(name));
  if (unknown !== undefined)
    throw new TreadleError({
      code: 'bad_option',
      message: '--sources takes sources of events between commas',
      value: unknown,
      next: `They are ${SOURCES.join(', ')}.`,
    });
  return SOURCES.filter((source) => named.includes(source));
};
