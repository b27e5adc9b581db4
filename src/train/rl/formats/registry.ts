/** The trainers that task rows are written for; adding one is one file and one line here. */
import type { RlFormat } from './format.js';
import { nemo } from './nemo.js';
import { trl } from './trl.js';
import { verl } from './verl.js';

export const RL_FORMATS: Readonly<Record<string, RlFormat>> = { nemo, verl, trl };
