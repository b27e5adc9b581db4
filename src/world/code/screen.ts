/**
 * Reads a code tool before it ever runs: refuses what cannot work, and finds what would touch more than its own call, which
 * costs it a realm of its own each time (weft.txt 3.3.3, load classes).
 *
 * A source defines one function of `(args, ctx)`: `export default function (args, ctx) { ... }` beside whatever else the module
 * declares, or nothing but a function expression, or a single function declaration. `args` are decoded as for declared tools.
 * `ctx` has `now` and `today` (virtual unix seconds), `me`, `fail(code, message, field?)`,
 * `db.get(table, where)` (a row or null), `db.find(table, where?, {order, limit, offset})`, `db.query(sql, params)`,
 * `db.insert(table, row)`, `db.update(table, where, set)`, `db.delete(table, where)`,
 * `files.read(path)`, `.list(folder)`, `.write(path, text)`, `.move(path, to)`, `.delete(path)`.
 * All of it answers at once; an error of `db`, `files` or `fail` ends the call even if the code catches it.
 */
import type { AnyNode, Node, Program } from 'acorn';

import { isFunction, REALM, type Use, usesOf } from './names.js';
import { full, parse } from './parser.js';
import { sideEffects } from './side-effects.js';

export interface Refused {
  line: number;
  why: string;
}

export interface Screened {
  /** An expression: a function that makes the tool's function anew, so that no two calls share its variables. */
  factory: string;
  /** What reaches beyond the call, as `line 3: changes Array.prototype`; with any, every call gets a fresh realm. */
  sideEffects: string[];
  /** Whether it speaks of `files` anywhere. */
  usesFiles: boolean;
}

const LONGEST_SOURCE = 100_000;
const OPTIONS = { ecmaVersion: 2024, locations: true, sourceType: 'module' } as const;
const lineOf = (node: Node): number => node.loc?.start.line ?? 1;

class Refusal extends Error {
  constructor(
    readonly line: number,
    why: string,
  ) {
    super(why);
  }
}

/** The source as a module; a function without a name is one only in parentheses. */
const parsed = (source: string): { text: string; program: Program } => {
  try {
    return { text: source, program: parse(source, OPTIONS) };
  } catch (thrown) {
    const text = `(${source.replace(/;\s*$/, '')}\n)`;
    try {
      return { text, program: parse(text, OPTIONS) };
    } catch {
      // The source as it was written has the line that its author knows.
    }
    const { loc, message } = thrown as { loc?: { line: number }; message: string };
    // Its own word for a source that nests too deeply.
    if (!loc || message.startsWith('Not enough stack')) throw new RangeError(message);
    throw new Refusal(loc.line, `it is no JavaScript: ${message.replace(/ \(\d+:\d+\)$/, '')}`);
  }
};

const ABSENT: Record<string, string> = {
  require: 'nothing can be loaded',
  eval: 'code cannot be made at run time',
  Function: 'code cannot be made at run time',
  fetch: 'there is no network',
  XMLHttpRequest: 'there is no network',
  WebSocket: 'there is no network',
  process: 'there is no process to speak to',
  setTimeout: 'nothing waits; a call does its work and returns',
  setInterval: 'nothing waits; a call does its work and returns',
  Promise: 'everything answers at once, so nothing is awaited',
  console: 'nobody reads a console; throw, fail or return',
};

const refuseSyntax = (program: Program): void => {
  full(program, (each) => {
    const node = each as AnyNode;
    const no = (why: string): never => {
      throw new Refusal(lineOf(node), why);
    };
    if (node.type === 'ImportDeclaration' || node.type === 'ImportExpression') no('nothing can be imported');
    if (node.type === 'ExportNamedDeclaration' || node.type === 'ExportAllDeclaration')
      no('only the tool itself is exported, with export default');
    if (node.type === 'MetaProperty' && node.meta.name === 'import') no('there is no import.meta');
    if (
      node.type === 'AwaitExpression' ||
      (isFunction(node) && node.async) ||
      (node.type === 'ForOfStatement' && node.await)
    )
      no('it is async; everything answers at once, so leave async and await out');
  });
};

/** A name is looked at but not used: `typeof x` asks whether it is there. */
const isAsked = (above: readonly AnyNode[]): boolean => {
  const parent = above.at(-2);
  return parent?.type === 'UnaryExpression' && parent.operator === 'typeof';
};

const refuseNames = (uses: readonly Use[]): void => {
  const free = uses.filter(({ home }) => home === 'free');
  const made = new Set(free.filter(({ isWrite }) => isWrite).map(({ name }) => name));
  for (const { name, node, above } of free)
    if (!REALM.has(name) && !made.has(name) && !isAsked(above))
      throw new Refusal(lineOf(node), `${name} is not there${ABSENT[name] ? `: ${ABSENT[name]}` : ''}`);
};

/** The source with its `export default` taken out, and behind it the tool's function handed back. */
const bodyOf = (source: string, program: Program): string => {
  const exported = program.body.find((node) => node.type === 'ExportDefaultDeclaration');
  const [only] = program.body;
  const functions = program.body.filter((node) => node.type === 'FunctionDeclaration');
  const single = program.body.length === 1 && only?.type === 'ExpressionStatement' ? only.expression : undefined;
  const tool: AnyNode | undefined = exported?.declaration ?? (isFunction(single) ? single : functions[0]);
  if (!tool || (!exported && !isFunction(single) && functions.length > 1))
    throw new Refusal(1, 'it must define one function: export default function (args, ctx) { ... }');
  if (isFunction(tool) && tool.generator) throw new Refusal(lineOf(tool), 'the tool is a generator; it must return');
  if (!exported) {
    if (tool.type === 'FunctionDeclaration') return `${source}\nreturn ${tool.id?.name};`;
    return `return (${source.slice(0, only?.end).replace(/;$/, '')}\n);`;
  }
  const before = source.slice(0, exported.start);
  const text = source.slice(tool.start, tool.end);
  const after = source.slice(exported.end);
  if (tool.type === 'FunctionDeclaration' && tool.id) return `${before}${text}${after}\nreturn ${tool.id?.name};`;
  return `${before}const $tool = ${text};${after}\nreturn $tool;`;
};

const screened = (source: string): Screened => {
  if (source.length > LONGEST_SOURCE) throw new Refusal(1, `it has more than ${LONGEST_SOURCE} characters`);
  // A script takes these for comments and a module does not: what was read here must be what runs.
  const odd = source.split('\n').findIndex((line) => line.includes('<!--') || line.includes('-->'));
  if (odd >= 0) throw new Refusal(odd + 1, '<!-- and --> cannot stand in a tool, not even in a text');
  const { text, program } = parsed(source);
  refuseSyntax(program);
  const uses = usesOf(program);
  refuseNames(uses);
  const effects = sideEffects(program, uses).map(({ line, why }) => `line ${line}: ${why}`);
  // Loose where it has a realm to itself, so that a name it never declared becomes a global as its author meant.
  const strict = effects.length === 0 ? '"use strict";' : '';
  return {
    factory: `(function () {${strict}${bodyOf(text, program)}\n})`,
    sideEffects: effects,
    usesFiles: /\bfiles\b/.test(source),
  };
};

/** Never throws: a source that cannot work comes back with the line and the reason. */
export const screenCode = (source: string): Screened | Refused => {
  try {
    return screened(source);
  } catch (thrown) {
    if (thrown instanceof Refusal) return { line: thrown.line, why: thrown.message };
    // The parser and the walkers recurse as deeply as the source nests.
    if (thrown instanceof RangeError) return { line: 1, why: 'it is too deeply nested' };
    throw thrown;
  }
};
