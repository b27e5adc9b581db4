/** The JSON around a row or a list, as the document's answer schema has it. */
import type { Json } from '../../kit/hash.js';
import { snake } from '../../kit/words.js';
import { propertyName } from './names.js';
import type { Schemas, View } from './schema.js';
import { isObject, type Unwrapped } from './unwrap.js';

const MEANINGS: readonly (readonly [RegExp, string])[] = [
  [
    /^(total|total_count|total_items|total_results|total_elements|total_records|record_count|total_size|totalcount|totals|num_found|total_num|total_entries|totalitems|totalresults)$/,
    '$total',
  ],
  [/^(has_more|more|has_next|has_next_page|hasmore|has_more_items)$/, '$more'],
  [
    /^(next_cursor|next_page_token|next_token|nextpagetoken|cursor|continuation|continuation_token|end_cursor|next_marker|nexttoken)$/,
    '$cursor',
  ],
  [/^(page|current_page|page_number|page_index|page_no)$/, '$page'],
  [/^(pages|total_pages|page_count|last_page|num_pages|totalpages)$/, '$pages'],
  [/^(per_page|page_size|limit|size|pagesize|items_per_page|max_results)$/, '$size'],
  [/^(offset|start|skip|start_index|start_at)$/, '$offset'],
  [/^(number_of_elements|returned|results_count|result_count)$/, '$shown'],
];
const NESTS =
  /^(meta|metadata|paging|pagination|page_info|page|pageinfo|response_metadata|cursor|_meta|info|result_info)$/;

const constantOf = (view: View): Json | undefined => {
  if (view.enum?.length === 1 && typeof view.enum[0] === 'string') return view.enum[0];
  return undefined;
};

const siblings = (
  view: View,
  inner: string | undefined,
  schemas: Schemas,
  depth: number,
  many: boolean,
): { [key: string]: Json } => {
  const out: { [key: string]: Json } = {};
  const names = [...view.properties.keys()];
  const hasTotal = names.some((name) => MEANINGS[0]?.[0].test(snake(name)));
  for (const name of names) {
    if (name === inner || name.includes('$')) continue;
    const property = schemas.view(view.properties.get(name));
    const plain = snake(name);
    const constant = constantOf(property);
    if (constant !== undefined) out[propertyName(name)] = constant;
    else if (isObject(property)) {
      const nested = depth < 2 && NESTS.test(plain) ? siblings(property, undefined, schemas, depth + 1, many) : {};
      if (Object.keys(nested).length > 0) out[propertyName(name)] = nested;
    } else if (/^(success|ok)$/.test(plain) && property.types.has('boolean')) out[propertyName(name)] = true;
    else if (many) {
      const meaning =
        plain === 'count' ? (hasTotal ? '$shown' : '$total') : MEANINGS.find(([words]) => words.test(plain))?.[1];
      const numeric = property.types.has('integer') || property.types.has('number');
      const text = property.types.has('string') || property.types.size === 0;
      const fits = meaning === '$more' ? property.types.has('boolean') : meaning === '$cursor' ? text : numeric;
      if (meaning !== undefined && fits) out[propertyName(name)] = meaning;
    }
  }
  return out;
};

/** Template around `core`; undefined when the answer is the row or the list itself. */
export const envelopeOf = (answer: Unwrapped, core: Json, schemas: Schemas): Json | undefined => {
  if (answer.path.length === 0) return undefined;
  let inner: Json = core;
  for (let at = answer.path.length - 1; at >= 0; at--) {
    const around = answer.around[at] as View;
    const name = answer.path[at] as string;
    inner = { ...siblings(around, name, schemas, 0, core === '$rows'), [propertyName(name)]: inner };
  }
  return inner;
};
