/** Why a document cannot become a service: a sentence and a next step for each code. */
import { TreadleError } from '../../errors.js';
import type { RefusalCode } from './types.js';

const NEXT: Record<RefusalCode, string> = {
  not_openapi: 'Give an OpenAPI 2.0, 3.0 or 3.1 document as JSON or YAML.',
  truncated: 'Fetch the document again: its end is missing.',
  too_large: 'Split the document by product, or raise the size limit.',
  get_only: 'Add the write operations to the document, or build from a brief and let the catalogue supply them.',
  no_schemas: 'Add response schemas (or examples) for the resources that are written, or build from a brief.',
  too_small: 'Add the operations that read what is written, or merge the files of the same product.',
  rpc_only:
    'Describe the resources with paths and response schemas, or import the tool list of its MCP server instead.',
  auth_or_compute_only: 'Nothing here is kept between calls; choose a document whose operations store something.',
};

export const nextStep = (code: RefusalCode): string => NEXT[code];

/** Thrown while reading; `authorFromDocument` turns it into a report. */
export const refusal = (code: RefusalCode, message: string, value?: unknown): TreadleError =>
  new TreadleError({ code, message, value, next: NEXT[code], fault: 'input' });
