/** JUnit XML, as continuous integration reads it: a suite a world, a case a run. */
import type { TestedTask, TestRun } from './result.js';

/** Characters that XML 1.0 has no way to write, as references either. */
const UNWRITABLE = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]|\p{Cs}/gu;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '&#13;',
};

/** Text of an element. */
export const xmlText = (text: string): string =>
  text.replace(UNWRITABLE, '\ufffd').replace(/[&<>"\r]/g, (char) => ENTITIES[char] as string);

/** Attributes lose line breaks and tabs unless they are written as references. */
const attribute = (text: string): string => xmlText(text).replaceAll('\n', '&#10;').replaceAll('\t', '&#9;');

const attributes = (values: Readonly<Record<string, string | number>>): string =>
  Object.entries(values)
    .map(([name, value]) => ` ${name}="${attribute(String(value))}"`)
    .join('');

const seconds = (value: number): string => value.toFixed(3);

const evidenceOf = ({ checks, divergence, trace }: TestRun): string =>
  [
    ...(divergence ? [`First diverging call: ${divergence}`] : []),
    ...checks.map(({ milestone, check, asked, evidence }) => `${milestone} / ${check}: ${evidence}\n  asked: ${asked}`),
    ...(trace ? [`trace ${trace}`] : []),
  ].join('\n');

const outcomeXml = (run: TestRun): string => {
  if (run.outcome === 'passed') return '';
  const tag = run.outcome === 'failed' ? 'failure' : 'error';
  const head = attributes({ message: run.why ?? run.outcome, type: run.type ?? run.outcome });
  return `<${tag}${head}>${xmlText(evidenceOf(run))}</${tag}>`;
};

const caseXml = ({ task, world }: TestedTask, run: TestRun): string => {
  const head = attributes({ name: `${task} [run ${run.run}]`, classname: world, time: seconds(run.seconds) });
  const said = run.stderr ? `<system-err>${xmlText(run.stderr)}</system-err>` : '';
  const inside = outcomeXml(run) + said;
  return inside === '' ? `    <testcase${head}/>` : `    <testcase${head}>${inside}</testcase>`;
};

const countsIn = (runs: readonly TestRun[]) => ({
  tests: runs.length,
  failures: runs.filter(({ outcome }) => outcome === 'failed').length,
  errors: runs.filter(({ outcome }) => outcome === 'error').length,
  skipped: 0,
  time: seconds(runs.reduce((sum, run) => sum + run.seconds, 0)),
});

/** `properties` are facts of the whole test, such as pass^k. */
export const junitXml = (
  tasks: readonly TestedTask[],
  name: string,
  properties: Readonly<Record<string, string | number>>,
): string => {
  const worlds = [...new Set(tasks.map(({ world }) => world))];
  const { skipped: _, ...all } = countsIn(tasks.flatMap(({ runs }) => runs));
  const facts = Object.entries(properties).map(
    ([key, value]) => `      <property${attributes({ name: key, value })}/>`,
  );
  const suites = worlds.map((world) => {
    const own = tasks.filter((task) => task.world === world);
    const head = attributes({ name: world, ...countsIn(own.flatMap(({ runs }) => runs)) });
    const cases = own.flatMap((task) => task.runs.map((run) => caseXml(task, run)));
    return `  <testsuite${head}>\n    <properties>\n${facts.join('\n')}\n    </properties>\n${cases.join('\n')}\n  </testsuite>`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites${attributes({ name, ...all })}>\n${suites.join('\n')}\n</testsuites>\n`;
};
