/** The service validators in order. One line a validator. */
import type { ServiceValidator } from '../validator.js';
import { boundaries } from './boundaries.js';
import { contract } from './contract.js';
import { effects } from './effects.js';
import { executability } from './executability.js';
import { initialData } from './initial-data.js';
import { schema } from './schema.js';

export const SERVICE_VALIDATORS: readonly ServiceValidator[] = [
  schema,
  initialData,
  contract,
  executability,
  boundaries,
  effects,
];
