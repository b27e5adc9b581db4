/** Values about people: names, addresses to write to, titles, dates of birth. */
import { DAY, isoDate, startOfDay } from '../../../kit/calendar.js';
import { fillPattern } from '../check-digits.js';
import type { Firm } from '../firms.js';
import { asciiOf, fullName, mailName, type Person } from '../people.js';
import { makePhone } from '../places.js';
import {
  colleague,
  firmFor,
  firmOf,
  kindIn,
  nearest,
  personFor,
  placeFor,
  sellsToPeople,
  subjectOf,
} from '../subjects.js';
import type { Cell, Handle, Make, World } from '../types.js';

const YEAR = 31_557_600;

const PRIVATE_MAIL = ['example.com', 'example.org', 'example.net'];

/** Where somebody reads mail: staff at the company's domain, a firm's people at theirs, others at example domains. */
const domainOf = (w: World, of: Handle, person: Person, cell: Cell): string => {
  if (of.plan.staff || w.employees.some((employee) => employee.meta.person === person)) return w.context.company.domain;
  const employed = of.plan.roles.has('company_name') && of.plan.kind === 'person' ? of : undefined;
  const firm = employed ?? nearest(of, (other) => kindIn(w, other) === 'company');
  if (firm) return firmOf(w, firm, cell.r).domain;
  return PRIVATE_MAIL[(person.first.length + person.last.length) % 3] as string;
};

const linked = (of: Handle, rule: string): string | undefined => {
  const col = of.plan.roles.get(rule);
  const value = col ? of.row[col] : undefined;
  return typeof value === 'string' ? value : undefined;
};

const ADULT = 18 * YEAR;
/** Who is of age has no guardian, parent or carer on file. */
const grownUp = ({ w, h, col }: Cell): boolean => {
  const born = h.row[h.plan.roles.get('birth_date') ?? ''];
  return (
    /^guardian|^parent/.test(col.norm) &&
    !col.column.required &&
    typeof born === 'number' &&
    w.context.clock - born > ADULT
  );
};

const email: Make = (cell) => {
  const { w, h, col } = cell;
  const subject = subjectOf(w, h, col.norm);
  const general = /^(billing|accounts|invoice|support|office|info|company|general)_/.test(col.norm);
  if (general && kindIn(w, subject.of) === 'company')
    return `${col.norm.startsWith('billing') ? 'accounts' : 'office'}@${firmFor(cell).domain}`;
  const { person, of } = personFor(cell);
  if (of !== h) {
    const known = linked(of, 'email');
    if (known) return known;
  }
  // The customer of the row is a firm that it names itself: somebody there is written to.
  const firm = subject.extra ? (h.meta.extras.get(`firm ${subject.extra}`) as Firm | undefined) : undefined;
  if (firm) return `${mailName(firm.contact).replace(/^\.|\.$/g, '') || 'office'}@${firm.domain}`;
  const base = mailName(person).replace(/^\.|\.$/g, '') || 'office';
  const domain = domainOf(w, of, person, cell);
  let address = `${base}@${domain}`;
  // Two people of one name have two addresses; one who signs twice has one.
  if (of === h && !subject.extra && cell.col.unique)
    for (let n = 2; w.mails.has(`${h.plan.key} ${address}`); n++) address = `${base}${n}@${domain}`;
  w.mails.add(`${h.plan.key} ${address}`);
  return address;
};

const username: Make = (cell) => {
  const { person } = personFor(cell);
  return (asciiOf(person.first).charAt(0) + asciiOf(person.last)).slice(0, 20) || `user${cell.h.meta.index}`;
};

const actor: Make = (cell) => {
  const { w, h, col, r } = cell;
  const stamp = h.row[col.name.replace(/_by(_.*)?$/, '_at')];
  if (stamp === null && !col.column.required) return null;
  const someone = colleague(w, h, col.norm.replace(/_(id|user|name|email)$/, ''), r);
  if (!someone) return undefined;
  if (/_id$/.test(col.norm) || col.column.type === 'int') {
    const key = someone.row[someone.plan.table.key.col];
    return typeof key === 'number' || col.column.type !== 'int' ? key : someone.meta.index;
  }
  if (/_name$/.test(col.norm)) return fullName(personFor(cell).person);
  return linked(someone, 'email') ?? fullName(personFor(cell).person);
};

const birthOf = ({ w, h, r }: Cell, person: Person): number => {
  const known = h.meta.extras.get(`birth ${person.first} ${person.last}`) as unknown as number | undefined;
  if (known !== undefined) return known;
  const small =
    h.plan.service.source.archetype === 'childcare' ||
    (/^6244/.test(w.context.company.industry.naics) && /student|pupil|child/.test(h.plan.noun));
  const young = /student|pupil|child|learner/.test(h.plan.noun);
  const all = /patient|beneficiar|insured/.test(h.plan.noun);
  const age = small
    ? 0.7 + 5 * r.unit()
    : young
      ? 8 + 14 * r.unit()
      : all
        ? 1 + 85 * r.unit()
        : 20 + 45 * (r.unit() + r.unit()) * 0.55;
  const born = startOfDay(w.context.clock - age * YEAR);
  h.meta.extras.set(`birth ${person.first} ${person.last}`, born as never);
  return born;
};

const nationalId: Make = (cell) => {
  const { r, col } = cell;
  if (/passport/.test(col.norm)) return fillPattern('X@#######', r);
  if (/licen/.test(col.norm)) return fillPattern('DL00#######', r);
  const { code } = placeFor(cell).country;
  // Blocks that are never given out: US 000 and 9xx, others start with 00 or 99.
  return fillPattern(code === 'US' ? '000-##-####' : code === 'GB' ? 'QQ######C' : '99#######', r);
};

const jobTitle: Make = ({ w, h, r }) => {
  const own = h.row[h.plan.roles.get('department') ?? ''];
  const titles = w.departments.find(([name]) => name === own)?.[1];
  if (titles) return titles[Math.min(titles.length - 1, 1 + Math.floor((titles.length - 1) * r.unit()))] as string;
  return r.pick([
    'Purchasing Manager',
    'Owner',
    'Accounts Clerk',
    'Operations Manager',
    'Office Manager',
    'Technical Director',
    'Buyer',
    'Site Manager',
    'Finance Manager',
    'Project Lead',
  ]);
};

const SALUTATION: Record<string, [string, string]> = {
  de: ['Frau', 'Herr'],
  fr: ['Mme', 'M.'],
  es: ['Sra.', 'Sr.'],
  it: ['Sig.ra', 'Sig.'],
  nl: ['Mevr.', 'Dhr.'],
  pt: ['Sra.', 'Sr.'],
};

const namePart: Make = (cell) => {
  const { w, col, r } = cell;
  const { person } = personFor(cell);
  if (/middle|second|patronymic/.test(col.norm))
    return r.chance(0.66) && !col.column.required ? null : r.chance(0.5) ? `${person.last.charAt(0)}.` : person.first;
  if (/suffix/.test(col.norm)) return r.chance(0.9) && !col.column.required ? null : r.pick(['Jr.', 'PhD', 'MBA']);
  if (/initial/.test(col.norm)) return `${person.first.charAt(0)}${person.last.charAt(0)}`.toUpperCase();
  const [she, he] = SALUTATION[w.home.lang.slice(0, 2)] ?? ['Ms', 'Mr'];
  return person.gender === 'female' ? she : he;
};

const messageParty: Make = (cell) => {
  const { w, h, col, r } = cell;
  const several = /s$|^cc$|^bcc$/.test(col.norm) && col.column.type === 'json';
  const someone = colleague(w, h, col.norm, r);
  const address = someone ? (linked(someone, 'email') ?? fullName(personFor(cell).person)) : email(cell);
  return several ? JSON.stringify([address]) : address;
};

export const PEOPLE: Record<string, Make> = {
  first_name: (cell) => personFor(cell).person.first,
  last_name: (cell) => personFor(cell).person.last,
  full_name: (cell) => {
    const { w, h, col } = cell;
    const subject = subjectOf(w, h, col.norm);
    // `customer_name` of a firm is the firm's.
    if (
      !subject.staff &&
      !subject.extra &&
      kindIn(w, subject.of) === 'company' &&
      !/contact|holder|signer|person|attn/.test(col.norm)
    )
      return firmOf(w, subject.of, cell.r).name;
    const business =
      subject.extra === 'supplier' ||
      ((subject.extra === 'customer' || subject.extra === 'recipient') && !sellsToPeople(w));
    if (business && !/contact|holder|signer|person|attn/.test(col.norm)) return firmFor(cell).name;
    return fullName(personFor(cell).person);
  },
  name_part: namePart,
  actor,
  username,
  job_title: jobTitle,
  gender: (cell) =>
    /pronoun/.test(cell.col.norm)
      ? personFor(cell).person.gender === 'female'
        ? 'she/her'
        : 'he/him'
      : personFor(cell).person.gender,
  birth_date: (cell) => birthOf(cell, personFor(cell).person),
  age: (cell) => {
    const col = cell.h.plan.roles.get('birth_date');
    const stored = col ? cell.h.row[col] : undefined;
    const born = typeof stored === 'number' ? stored : birthOf(cell, personFor(cell).person);
    return Math.floor((cell.w.context.clock - born) / YEAR);
  },
  email,
  phone: (cell) => {
    if (grownUp(cell)) return null;
    const { person, of } = personFor(cell);
    const known = of !== cell.h ? linked(of, 'phone') : undefined;
    return known ?? (person ? makePhone(placeFor(cell).country, cell.r) : undefined);
  },
  national_id: nationalId,
  language: (cell) => {
    const lang = placeFor(cell).country.lang;
    const tag = cell.r.chance(0.85) ? lang : 'en-GB';
    return /locale|culture/.test(cell.col.norm) ? tag : tag.slice(0, 2);
  },
  timezone: (cell) => (/offset/.test(cell.col.norm) ? '+00:00' : placeFor(cell).city.timezone),
  message_party: messageParty,
};

/** A hire date: a Monday or the first of a month, after the founding and long before now. */
export const hireDate = (w: World, r: Cell['r'], from: number): number => {
  const latest = w.context.clock - 40 * DAY;
  const day = startOfDay(from + (latest - from) * r.unit() ** 0.7);
  const first = Date.parse(`${isoDate(day).slice(0, 8)}01T00:00:00Z`) / 1000;
  const weekdays = (Math.floor(first / DAY) + 4) % 7;
  return weekdays === 0 ? first + DAY : weekdays === 6 ? first + 2 * DAY : first;
};
