/** The validators in order, of single services and of whole worlds. One line a validator; 11 needs processes of its own (determinism/). */
import type { ServiceValidator, WorldValidator } from '../validator.js';
import { boundaries } from './boundaries.js';
import { contract } from './contract.js';
import { crossService } from './cross-service.js';
import { effects } from './effects.js';
import { executability } from './executability.js';
import { initialData } from './initial-data.js';
import { initiallyTrue } from './initially-true.js';
import { isolation } from './isolation.js';
import { schema } from './schema.js';
import { serviceGraph } from './service-graph.js';
import { violable } from './violable.js';

export const SERVICE_VALIDATORS: readonly ServiceValidator[] = [
  schema,
  initialData,
  contract,
  executability,
  boundaries,
  effects,
];

export const WORLD_VALIDATORS: readonly WorldValidator[] = [
  serviceGraph,
  crossService,
  initiallyTrue,
  violable,
  isolation,
];
