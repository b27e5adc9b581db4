/** A task's text with what is particular to it masked, so that two tasks of one pattern read the same. */
import type { Task } from '../../artifacts/task.js';

/** Values of the brief (descriptors, arguments told), then whatever else has a capital inside or a digit, become one mark. */
export const maskedText = (task: Task): string => {
  const told = [
    ...task.bindings.flatMap(({ descriptors }) => descriptors.map(({ words }) => words)),
    ...task.reference.sources.flatMap(({ from }) => ('brief' in from ? [from.brief] : [])),
  ].sort((a, b) => b.length - a.length);
  let text = task.brief;
  for (const words of told) if (words !== '') text = text.replaceAll(words, '#');
  return text
    .replace(/“[^”]*”/g, '#')
    .replace(/(?<=[\w,;:] )\p{Lu}[\p{L}\p{N}'’&.-]*/gu, '#')
    .replace(/\S*\d\S*/g, '#')
    .replace(/#( (&|and|of|in|,)? ?#)+/g, '#')
    .toLowerCase();
};

/** Dialect-free ids of the reference's tools, each behind its service: two worlds with one service share them. */
export const chainOf = (task: Task): string[] => {
  const ids = task.nodes.flatMap(({ chain }) => chain);
  return task.reference.calls.map(({ service, tool }, at) => `${service}.${ids[at] ?? tool}`);
};

/** What makes two tasks the same work: the tools in order and the tables. */
export const signatureOf = ({ chain, tables }: { chain: readonly string[]; tables: readonly string[] }): string =>
  `${chain.join('>')} ${tables.join(',')}`;

/** Tables that the task's objects and checks lie in, sorted. */
export const tablesOf = (task: Task): string[] => {
  const checked = task.milestones.flatMap(({ checks }) =>
    checks.flatMap((check) => ('table' in check ? [`${check.service}.${check.table}`] : [])),
  );
  return [...new Set([...task.bindings.map(({ service, table }) => `${service}.${table}`), ...checked])].sort();
};
