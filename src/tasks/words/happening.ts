/** Days on which something was done to a thing: nobody says `the posted date of the message`, nor `the latest posted date`. */

const DONE = /^(?:the )?(\w*(?:ed|sent|paid|held|made|begun|taken|sold|given|shown)) date$/;
/** These lie ahead. */
const PLANNED = /^(planned|needed|expected|requested|scheduled|promised|wanted|estimated|due)$/;

const doneIn = (field: string): string | undefined => {
  const done = DONE.exec(field)?.[1];
  return done !== undefined && !PLANNED.test(done) ? done : undefined;
};

/** `the due date of invoice INV-1`, `the day on which the message ... was posted` */
export const askedOf = (field: string, thing: string): string => {
  const done = doneIn(field);
  return done ? `the day on which ${thing} was ${done}` : `${field} of ${thing}`;
};

/** Of one among several: `has the latest due date`, `was posted last` */
export const standsOut = (field: string, most: string): string => {
  const done = doneIn(field);
  return done && (most === 'latest' || most === 'earliest')
    ? `was ${done} ${most === 'latest' ? 'last' : 'first'}`
    : `has the ${most} ${field}`;
};
