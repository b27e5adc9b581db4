/** How a long build is going: rate, time left, memory; a line that overwrites itself on a terminal, now and then one that stays. */
import { elapsedMs } from '../../kit/clock.js';
import type { Ui } from '../ui.js';

export interface BuildProgress {
  /** A slot is finished: with a world or given up. */
  done(hasWorld: boolean): void;
  /** Resident bytes of the worker that spoke last. */
  memory(bytes: number): void;
}

/** `0:42`, `31:05`, `2:03:10` */
export const clockTime = (seconds: number): string => {
  const whole = Math.max(0, Math.round(seconds));
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const two = (n: number): string => String(n).padStart(2, '0');
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
};

/** Lines that stay on the screen in a build, whatever its size. */
const STEPS = 20;

/** Tells a build of `worlds` slots. */
export const progressOf = (ui: Ui, worlds: number): BuildProgress => {
  const start = elapsedMs();
  const every = Math.max(1, Math.ceil(worlds / STEPS));
  let [done, lost, resident] = [0, 0, 0];
  const line = (): string => {
    const seconds = Math.max(0.001, (elapsedMs() - start) / 1000);
    const left = ((worlds - done) * seconds) / Math.max(1, done);
    const memory = resident > 0 ? `, ${Math.round(resident / 2 ** 20)} MiB a worker` : '';
    return `${done} of ${worlds} worlds${lost > 0 ? ` (${lost} given up)` : ''}, ${(done / seconds).toFixed(2)} a second, ${done < worlds ? `${clockTime(left)} left` : `in ${clockTime(seconds)}`}${memory}`;
  };
  return {
    done: (hasWorld) => {
      done++;
      if (!hasWorld) lost++;
      if (done % every === 0 || done === worlds) ui.step(`  ${line()}`);
      else ui.progress(line());
    },
    memory: (bytes) => {
      resident = bytes;
    },
  };
};
