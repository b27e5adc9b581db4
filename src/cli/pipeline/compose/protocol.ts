/** What composing and its worker processes say to one another. */
import type { Certificate } from '../../../artifacts/certificate.js';
import type { Profile, Task } from '../../../artifacts/task.js';
import type { Words } from '../../../tasks/model/reword.js';

/** One task to compose on one world. */
export interface Slot {
  index: number;
  /** Which try of this slot: another draw of services, other random streams. */
  attempt: number;
  id: string;
  profile: Profile;
  world: string;
  services: readonly string[];
  stages: number;
  least: number;
  leastServices: number;
  /** Other words for its task, where it is made once more to be gated in them. */
  words?: Words;
}

export interface Done {
  index: number;
  task?: Task;
  certificate?: Certificate;
  /** What its reference does, in words, where a model judges. */
  account?: string;
  /** Why nothing came of it. */
  why?: string;
  /** Processor time of the slot in milliseconds. */
  cpuMs: number;
}

/** What a worker is told before its first world. */
export interface Setup {
  dir: string;
  seed: string;
  wantsAccounts: boolean;
}
