/** What survives the death of a server: savepoints only, every answered call, or that and the loss of power. */
export const DURABILITIES = ['none', 'call', 'disk'] as const;
export type Durability = (typeof DURABILITIES)[number];
