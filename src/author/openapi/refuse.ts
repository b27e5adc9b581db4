/** Why a document cannot become a service: a next step for each code. */
import { isUnreadable, unreadableNext } from '../../document/unreadable.js';
import type { RefusalCode } from './types.js';

type Refused = Exclude<RefusalCode, 'not_openapi' | 'truncated' | 'too_large'>;

const NEXT: Record<Refused, string> = {
  get_only: 'Add the write operations to the document, or build from a brief and let the catalogue supply them.',
  no_schemas: 'Add response schemas (or examples) for the resources that are written, or build from a brief.',
  too_small: 'Add the operations that read what is written, or merge the files of the same product.',
  rpc_only:
    'Describe the resources with paths and response schemas, or import the tool list of its MCP server instead.',
  auth_or_compute_only: 'Nothing here is kept between calls; choose a document whose operations store something.',
};

export const nextStep = (code: RefusalCode): string =>
  isUnreadable(code) ? unreadableNext(code) : NEXT[code as Refused];
