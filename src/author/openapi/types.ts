/** What reading a document yields, before anything is called an entity. */
import type { ServiceSpec } from '../../artifacts/service.js';
import type { ColumnType, Literal } from '../../artifacts/table.js';
import type { Node } from '../../document/node.js';

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

export interface DocParam {
  /** As the document writes it. */
  name: string;
  in: 'path' | 'query';
  required: boolean;
  schema: Node;
  description: string | undefined;
}

export interface DocBody {
  schema: Node;
  required: boolean;
}

export interface DocOperation {
  method: Method;
  path: string;
  /** Where the document's own address names the resource (`.../v1/calls` with the paths `/` and `/{id}`): that word. */
  base?: string;
  /** `GET /pets/{petId}` */
  label: string;
  id: string | undefined;
  text: string | undefined;
  /** Its description, where `text` is the summary. */
  about?: string;
  tag: string | undefined;
  params: DocParam[];
  body: DocBody | undefined;
  /** Schema (or a schema inferred from an example) of the first successful answer. */
  answer: Node | undefined;
  /** HTTP statuses of the errors it declares. */
  failures: number[];
}

/** One leaf of a flattened object schema. */
export interface Field {
  /** Property names from the root, at most three. */
  path: string[];
  type: Exclude<ColumnType, 'money'>;
  required: boolean;
  nullable: boolean;
  readOnly: boolean;
  /** Marked so by an extension alone (`x-read-only`): callers may send it all the same. */
  served?: true;
  writeOnly: boolean;
  enum: string[] | undefined;
  format: string | undefined;
  min: number | undefined;
  max: number | undefined;
  minLength: number | undefined;
  maxLength: number | undefined;
  pattern: string | undefined;
  default: Literal | undefined;
  description: string | undefined;
  example: Literal | undefined;
  /** Integer or text instants: how the document writes a point in time. */
  instant: 'unix' | 'unix_ms' | undefined;
  /** Name of the object schema that this leaf stands for (its key, or anyOf [text, object]). */
  embeds: string | undefined;
}

export type OperationKind = 'list' | 'get' | 'create' | 'update' | 'delete' | 'search' | 'action';

export type RefusalCode =
  | 'not_openapi'
  | 'truncated'
  | 'too_large'
  | 'get_only'
  | 'no_schemas'
  | 'too_small'
  | 'rpc_only'
  | 'auth_or_compute_only';

export interface DocumentReport {
  title: string;
  /** The document's own version of the specification: `2.0`, `3.0.3`, `3.1.0`. */
  version: string;
  operations: number;
  /** Table name and how its operations were read. */
  entities: {
    name: string;
    noun: string;
    schema: string | undefined;
    columns: number;
    key: string;
    fks: number;
    machine: boolean;
    tools: number;
    /** One of its operations reads it and another writes it, whether or not a pack had room for them. */
    stateful: boolean;
    service: string | undefined;
  }[];
  classified: Record<OperationKind | 'unmapped', number>;
  tools: number;
  /** Operations that became no tool; `kind` where it is understood all the same what they do. */
  unmapped: { operation: string; why: string; kind?: OperationKind }[];
  /** Path parameters that only name the caller's own account or a container the document does not describe. */
  scoped: string[];
  /** Remote, missing or broken references, at most fifty. */
  refs: { ref: string; why: string }[];
  refused?: { code: RefusalCode; reasons: string[]; next: string };
}

export interface DocumentResult {
  /** The best pack first; empty when refused. */
  services: ServiceSpec[];
  report: DocumentReport;
}

export interface DocumentBudget {
  /** Most tools in a pack; 40. */
  tools?: number;
  /** Most packs; 6. */
  packs?: number;
  /** Most characters of a document; 64 Mi. */
  characters?: number;
}

export interface DocumentOptions {
  /** Service id is made from it; a file name without its ending is fine. */
  name: string;
  seed: string;
  budget?: DocumentBudget;
}
