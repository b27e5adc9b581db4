/** Where lines go: files of one kind, written as they come. */
export interface Sink {
  /** One line as JSON text; throws what the disk says. */
  push(json: string): Promise<void>;
  /** Ends the files and names them, relative to the folder that the sink was given. Nothing was pushed: no file. */
  close(): Promise<string[]>;
  /** Lets go of what is open, after a failure. */
  abandon(): void;
}

export const FILE_KINDS = ['jsonl', 'parquet'] as const;
export type FileKind = (typeof FILE_KINDS)[number];
