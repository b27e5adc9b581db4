/** The company core that every world has beside its trade: ten tools over employees, e-mail and chat. */
import type { ServiceSpec } from '../../artifacts/service.js';
import type { Company } from '../../artifacts/world.js';
import { chat } from './chat.js';
import { directory } from './directory.js';
import { mail } from './mail.js';

/** `directory`, `mail` and `chat` in canonical form, undressed. Shared natural keys: `employee_no` and e-mail addresses. */
export const coreServices = (company: Company): ServiceSpec[] => [directory(company), mail(company), chat(company)];

/** Columns that hold a person's e-mail address, by service: each is a link to `directory.employee.email`. */
export const CORE_EMAIL_COLUMNS: readonly { service: string; table: string; col: string }[] = [
  { service: 'mail', table: 'message', col: 'from_email' },
  { service: 'mail', table: 'message', col: 'to_email' },
  { service: 'chat', table: 'post', col: 'author_email' },
];
