/** Days on which something was done to a thing: nobody says `the posted date of the message`, nor `the latest posted date`. */

const DONE = /^(?:the )?(\w*(?:ed|sent|paid|held|made|begun|taken|sold|given|shown)) date$/;
/** These lie ahead. */
const PLANNED = /^(planned|needed|expected|requested|scheduled|promised|wanted|estimated|due)$/;

/** What a thing does by itself. */
const BY_ITSELF = /^(arrived|expired|departed|joined|happened|occurred|ended|started|failed|returned)$/;

const did = (done: string): string => (BY_ITSELF.test(done) ? done : `was ${done}`);

const doneIn = (field: string): string | undefined => {
  const done = DONE.exec(field)?.[1];
  return done !== undefined && !PLANNED.test(done) ? done : undefined;
};

/** `the due date of invoice INV-1`, `the day on which the message ... was posted` */
export const askedOf = (field: string, thing: string): string => {
  const done = doneIn(field);
  return done ? `the day on which ${thing} ${did(done)}` : `${field} of ${thing}`;
};

/** Of one among several: `has the latest due date`, `was posted last` */
export const standsOut = (field: string, most: string): string => {
  const done = doneIn(field);
  return done && (most === 'latest' || most === 'earliest')
    ? `${did(done)} ${most === 'latest' ? 'last' : 'first'}`
    : `has the ${most} ${/^(expected|counted|net|gross)$/.test(field) ? `${field} amount` : field}`;
};

/** `the day on which the message was posted` as a question: `When was the message posted?`; undefined for anything else. */
export const whenOf = (thing: string): string | undefined => {
  const [, what, done] = /^the day on which (.+) was (\w+)$/.exec(thing) ?? [];
  return what && done ? `When was ${what} ${done}?` : undefined;
};
