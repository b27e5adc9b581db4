/** Where bytes go that outlive a session's stay in memory: this machine's disk now, an object store later (serving.md, seams). */
export interface Blobs {
  /** Overwrites. Throws `disk_full` (retryable, infrastructure) or `blob_failed`. */
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** Throws `no_blob`. */
  get(key: string): Promise<Uint8Array>;
  /** Keys under a prefix, sorted. */
  list(prefix: string): Promise<string[]>;
  /** Deleting what is not there is no error. */
  delete(key: string): Promise<void>;
}
