/** A lending library as a folder to import: a service, rows as CSV and JSON, and tasks; made up here. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const SERVICE = `treadle: service/1
id: library
title: Lending library
description: Books and who has them.
source: {kind: manual, ref: library}
surface:
  {dialect: document, fields: asis, args: asis, enums: asis, date: iso, datetime: iso, money: number, currency: USD,
   row: $fields, one: $row, many: $rows, done: Done, paging: none, error: 'Error: $message'}
tables:
  book:
    noun: book
    key: {col: book_id}
    label: title
    cols:
      book_id: {type: text, required: true}
      title: {type: text, required: true}
      author: {type: text, required: true}
      available: {type: bool, required: true}
  loan:
    noun: loan
    key: {col: loan_id, gen: {style: base62, prefix: ln_, length: 8}}
    cols:
      loan_id: {type: text, required: true}
      book_id: {type: text, required: true, fk: book}
      reader: {type: text, required: true}
      status: {type: text, required: true, enum: [open, returned]}
tools:
  list_books:
    id: book.list
    op: action
    table: book
    description: All books of an author.
    args: {author: {type: text, role: input, col: author, required: true}}
    steps:
      - find: {table: book, where: [{col: author, op: eq, value: $args.author}], order: [{col: title}], as: found}
    returns: {rows: found}
    reads: [book]
    writes: []
    provenance: {tier: catalogue}
  list_loans:
    id: loan.list
    op: action
    table: loan
    description: A reader's loans.
    args: {reader: {type: text, role: input, col: reader, required: true}}
    steps:
      - find: {table: loan, where: [{col: reader, op: eq, value: $args.reader}], as: found}
    returns: {rows: found}
    reads: [loan]
    writes: []
    provenance: {tier: catalogue}
  lend_book:
    id: loan.create
    op: action
    table: loan
    description: Lends a book that is there.
    args:
      book_id: {type: text, role: input, ref: book, required: true}
      reader: {type: text, role: input, required: true}
    steps:
      - get: {table: book, where: {book_id: $args.book_id}, as: b, else: {error: not_found, message: There is no such book}}
      - require: [{that: b.available, error: invalid_state, message: Somebody has the book}]
      - insert: {table: loan, set: {book_id: $b.book_id, reader: $args.reader, status: "'open'"}, as: l}
      - update: {table: book, where: {book_id: $b.book_id}, set: {available: 'false'}}
    returns: {row: l}
    errors: {not_found: 404, invalid_state: 409}
    reads: [book, loan]
    writes: [{table: loan, insert: true}, {table: book, cols: [available]}]
    provenance: {tier: catalogue}
`;

const task = (brief: string, calls: string, more = ''): string =>
  `brief: ${brief}\nreference:\n  calls:\n${calls}${more}`;

/** By path in the folder. */
export const libraryFiles = (): Record<string, string> => ({
  'world.yaml': [
    'id: town_library',
    'services: [services/library.yaml]',
    'data: [data/book.csv, loan=data/loans.json]',
    'policy: policy.md',
    'company: {name: Town library, currency: EUR, country: IE, city: Cork, timezone: Europe/Dublin}',
    '',
  ].join('\n'),
  'services/library.yaml': SERVICE,
  'data/book.csv': [
    'book_id,title,author,available',
    'B1,The Long Quay,Ada Brennan,yes',
    'B2,Salt Roads,Ada Brennan,yes',
    'B3,Night Ferry,Ada Brennan,no',
    'B4,A House of Slate,Tom Okafor,yes',
    '',
  ].join('\n'),
  'data/loans.json': JSON.stringify([{ book: 'Night Ferry', reader: 'Nora Vance', status: 'open' }]),
  'policy.md': 'A reader has at most three books.\n',
  'tasks/lend-salt-roads.yaml': task(
    'Lend “Salt Roads” by Ada Brennan to the reader Pia Moss.',
    `    - {tool: list_books, args: {author: Ada Brennan}}
    - {tool: lend_book, args: {book_id: '\${1.[title=Salt Roads].book_id}', reader: Pia Moss}}
`,
    'about:\n  - {service: library, table: book, where: {title: Salt Roads}}\n',
  ),
  'tasks/who-has-it.yaml': task(
    'Which of the books by Ada Brennan is not there?',
    '    - {tool: list_books, args: {author: Ada Brennan}}\n',
    'answer: {asks: the title of the book that is out, expected: Night Ferry}\n',
  ),
  'tasks/lend-what-is-out.yaml': task(
    'Lend “Night Ferry” by Ada Brennan to the reader Pia Moss.',
    '    - {tool: lend_book, args: {book_id: B3, reader: Pia Moss}}\n',
  ),
});

/** Writes the folder; `other` replaces files by path, null leaves one out. */
export const writeLibrary = (dir: string, other: Record<string, string | null> = {}): string => {
  for (const [name, text] of Object.entries({ ...libraryFiles(), ...other })) {
    if (text === null) continue;
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), text);
  }
  return dir;
};
