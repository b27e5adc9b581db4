/** The command line of the process drill. */
import { parseArgs } from 'node:util';
import { canonicalJson } from '../../../src/kit/hash.js';
import { DURABILITIES, type Durability } from '../../../src/serve/durable/session/durability.js';
import { drillProcesses } from './drill.js';

const SHORT = { faults: '18', sessions: '6' };

/** Prints what goes wrong when, then one line of JSON; answers with the exit status. */
export const main = async (args: readonly string[]): Promise<number> => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seed: { type: 'string', default: '1' },
      faults: { type: 'string' },
      sessions: { type: 'string' },
      workers: { type: 'string', default: '2' },
      durable: { type: 'string', default: 'call' },
      corpus: { type: 'string' },
      short: { type: 'boolean', default: false },
    },
  });
  const usual = values.short ? SHORT : { faults: '200', sessions: '16' };
  const [seed, workers] = [Number(values.seed), Number(values.workers)];
  const [faults, sessions] = [Number(values.faults ?? usual.faults), Number(values.sessions ?? usual.sessions)];
  const from = performance.now();
  const since = (): number => Math.round((performance.now() - from) / 100) / 10;
  const say = (line: string): void => void process.stderr.write(`${since().toFixed(1)} ${line}\n`);
  const durability = values.durable as Durability;
  if (!DURABILITIES.includes(durability)) throw new Error(`--durable is one of ${DURABILITIES.join(', ')}`);
  const options = { durability, seed, faults, workers, sessions, corpus: values.corpus, say };
  const { drilled, violations } = await drillProcesses(options);
  for (const { rule, of, what } of violations) say(`VIOLATION ${rule} of ${of}: ${what}`);
  const [first] = violations;
  for (const event of drilled.histories.find(({ session }) => session === first?.of)?.events ?? [])
    say(canonicalJson(event));
  for (const step of drilled.ownership) if (step.session === first?.of) say(canonicalJson(step));
  const events = drilled.histories.flatMap((history) => [...history.events]);
  const count = (is: string): number => events.filter((event) => event.is === is).length;
  const asks = new Map(events.flatMap((event) => (event.is === 'asked' ? [[event.operation, event.ask.do]] : [])));
  const done: Record<string, number> = {};
  for (const operation of new Set(events.flatMap((event) => (event.is === 'done' ? [event.operation] : [])))) {
    const what = asks.get(operation) ?? '';
    done[what] = (done[what] ?? 0) + 1;
  }
  const said = {
    seed,
    faults,
    durability,
    sessions: drilled.histories.length,
    done,
    violations: violations.length,
    rolledBack: count('rolled_back'),
    unknown: count('unknown'),
    seconds: since(),
  };
  process.stdout.write(`${JSON.stringify(said)}\n`);
  return violations.length === 0 ? 0 : 1;
};
