/** The company core that every world has beside its trade: employees, e-mail and chat, each as another product would have it. */
import type { ServiceSpec } from '../../artifacts/service.js';
import type { Company } from '../../artifacts/world.js';
import type { Rng } from '../../kit/rng.js';
import { DIALECTS, dressService } from '../dialects/dress.js';
import { chat } from './chat.js';
import { CHAT_EXTRAS } from './chat-extras.js';
import { directory } from './directory.js';
import { DIRECTORY_EXTRAS } from './directory-extras.js';
import { type Extra, withExtras } from './extras.js';
import { type CoreWording, drawWording, saidIn } from './flavours.js';
import { mail } from './mail.js';
import { MAIL_EXTRAS } from './mail-extras.js';

/** `directory`, `mail` and `chat` in canonical form, undressed and without extras. Shared keys: `employee_no` and e-mail addresses. */
export const coreServices = (company: Company): ServiceSpec[] => [directory(company), mail(company), chat(company)];

const EXTRAS: Record<string, readonly Extra[]> = {
  directory: DIRECTORY_EXTRAS,
  mail: MAIL_EXTRAS,
  chat: CHAT_EXTRAS,
};

/** One core service as a product: what it has, canonical and to be dressed, and what it calls things. */
export interface CoreProduct {
  spec: ServiceSpec;
  wording: CoreWording;
  dialect: string;
  rng: Rng;
}

/** The core of one company as three products drawn by `rng`. What tasks and rules speak of is in all of them. */
export const coreProducts = (company: Company, rng: Rng): CoreProduct[] => {
  const taken: string[] = [];
  return coreServices(company).map((plain) => {
    const own = rng.stream(plain.id);
    const spec = withExtras(plain, EXTRAS[plain.id] ?? [], own.stream('extras'));
    const wording = drawWording(spec, own.stream('wording'), taken);
    taken.push(...Object.keys(spec.tables).map((table) => wording.nouns[table] ?? table));
    return { spec, wording, dialect: own.pick(DIALECTS), rng: own };
  });
};

/** A core product as agents see it. */
export const dressProduct = ({ spec, wording, dialect, rng }: CoreProduct, currency: string): ServiceSpec =>
  dressService(saidIn(spec, wording), dialect, { currency, rng: rng.stream('dress'), wording });

/** Columns that hold a person's e-mail address, by service: each is a link to `directory.employee.email`. */
export const CORE_EMAIL_COLUMNS: readonly { service: string; table: string; col: string }[] = [
  { service: 'mail', table: 'message', col: 'from_email' },
  { service: 'mail', table: 'message', col: 'to_email' },
  { service: 'chat', table: 'post', col: 'author_email' },
];
