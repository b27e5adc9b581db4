/** People of the company who may do something outside of a task. */
import type { Rng } from '../../kit/rng.js';
import type { Session } from '../../serve/sessions/session.js';
import type { Row } from '../../world/state/types.js';
import { rowsWhere } from './rows.js';

export interface Colleague {
  name: string;
  email: string;
  department: string;
  title: string;
  /** E-mail address of the person they report to. */
  manager?: string | undefined;
}

const text = (row: Row, col: string): string => String(row[col] ?? '');

/** Everybody who works here now, as the company's directory has them. Empty where the world has none. */
export const colleagues = (session: Session): Colleague[] => {
  const rows = rowsWhere(session, 'directory', 'employee', {}, 200);
  const emails = new Map(rows.map((row) => [text(row, 'id'), text(row, 'email')]));
  return rows
    .filter((row) => row.status === 'active')
    .map((row) => ({
      name: text(row, 'name'),
      email: text(row, 'email'),
      department: text(row, 'department'),
      title: text(row, 'title'),
      manager: emails.get(text(row, 'manager_id')),
    }));
};

/** `Declan Hickey (Service Desk)` */
export const introduced = ({ name, department }: Colleague): string => (department ? `${name} (${department})` : name);

/** Departments that look after the staff's own records. */
const STAFF = /people|human|\bhr\b|personnel|staff/i;

/** The department that looks after a record: the staff's own, that of somebody named in it, else that of whoever asked. */
export const departmentFor = (
  people: readonly Colleague[],
  service: string,
  named: readonly string[],
  actor: string,
): ((department: string) => boolean) => {
  if (service === 'directory') return (department) => STAFF.test(department);
  const own = people.find(({ email }) => named.includes(email)) ?? people.find(({ email }) => email === actor);
  return (department) => department !== '' && department === own?.department;
};

/** Somebody who is none of these, of a fitting department where there is one. */
export const somebody = (
  people: readonly Colleague[],
  but: readonly string[],
  random: Rng,
  fits: (department: string) => boolean = () => false,
): Colleague | undefined => {
  const others = people.filter(({ email, name }) => !but.includes(email) && !but.includes(name));
  const own = others.filter(({ department }) => fits(department));
  return others.length > 0 ? random.pick(own.length > 0 ? own : others) : undefined;
};
