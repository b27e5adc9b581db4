/** Text into HTML: everything that comes from a brief, a document or a model goes through here. */

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escaped for text and attributes; control characters, which HTML has no way to write, become U+FFFD. */
export const escapeHtml = (text: string): string =>
  text.replace(/[^\P{Cc}\n\t]|\p{Cs}/gu, '\ufffd').replace(/[&<>"']/g, (char) => ENTITIES[char] as string);

/** A table; cells are HTML already. Wide ones scroll by themselves. */
export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string => {
  const top = head.length > 0 ? `<thead><tr>${head.map((cell) => `<th>${cell}</th>`).join('')}</tr></thead>` : '';
  const body = rows.map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join('')}</tr>`).join('');
  return `<div class="wide"><table>${top}<tbody>${body}</tbody></table></div>`;
};

/** A part that is folded up at first. */
export const folded = (summary: string, inside: string): string =>
  `<details><summary>${summary}</summary>${inside}</details>`;
