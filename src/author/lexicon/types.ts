/** What the verb lexicon hands to an author: what a word means, and the tool an effect compiles to. */

import type { Column, Table } from '../../artifacts/table.js';
import type { Arg, Tool } from '../../artifacts/tool.js';

export type CrudOp = 'create' | 'get' | 'list' | 'update' | 'delete' | 'search';

/** What may be known of an operation besides its words. */
export interface WordContext {
  /** HTTP method in capitals; decides a few ambiguous words (PUT replace is an update). */
  method?: string;
  /** The resource's table: its enums and columns name the kind where the noun does not, and read `change_status_to_X`. */
  table?: Table;
  /** Singular nouns of the document: a run-together word (`enablescheduling`) splits only before one of these. */
  nouns?: readonly string[];
}

/** A verb of the lexicon found for a document's words, with the kind of thing it acts on. */
export interface VerbMatch {
  /** The lexicon's own verb: `void`. */
  verb: string;
  /** The document's word, normalised (`mark_as_void` -> `void`); its past participle leads the status list. */
  word: string;
  /** Kind of the resource (`invoice`), or `any`. */
  kind: string;
  /** Index into the entry's `senses` when one is meant for this kind. */
  sense?: number;
  /** un- + the verb: flags negated, stamps cleared, status back to the first value of its `from` classes. */
  reversed?: boolean;
  /** The document asked for many rows at once (`batch_archive`, `bulkClose`). */
  many?: boolean;
  /** Status values and stamps put before the entry's own (a trade's word that borrows another entry). */
  status?: readonly string[];
  stamp?: readonly string[];
}

/** What a document's words mean: an action of the lexicon, plain create-read-update-delete, or nothing that changes state. */
export type Meaning =
  | { is: 'action'; match: VerbMatch }
  | { is: 'crud'; op: CrudOp; word: string }
  | { is: 'none'; word: string };

export interface CompileRequest {
  /** Every table of the service by name; side rows go to those that exist. */
  tables: Record<string, Table>;
  /** The table acted on. */
  table: string;
  /** `invoice.void` */
  toolId: string;
  /** The argument that names the row: canonical name, and its dotted surface path when the document dictates one. */
  keyArg: { name: string; field?: string };
  /** Arguments the document's request body declares, by canonical name. Those that are the lexicon's own (or write a column) are used. */
  bodyArgs?: Record<string, Arg>;
  description?: string;
  /** The document's operation (id or METHOD path), for provenance. */
  operation?: string;
}

export interface CompiledVerb {
  tool: Tool;
  /** Columns to add to tables before the service is compiled (rule e: a status or a stamp where nothing else was grounded). */
  addedColumns: Record<string, Record<string, Column>>;
  /** Which of the rules grounded the effect: a status, b flag, c stamp, d body columns, e added; and set, link, change, clear, side. */
  grounds: readonly Ground[];
}

export type Ground = 'status' | 'flag' | 'stamp' | 'set' | 'change' | 'clear' | 'side' | 'body' | 'added';
