/**
 * Where bytes go that outlive a session's stay in memory: a folder of this machine, or an S3-compatible store (serving.md, seams).
 * Every method throws `bad_key`; `blob_failed`, retryable where it may do better later; `blob_denied` and `bad_blob_store` where
 * the store lets us not in or is not there. All but `bad_key` are the infrastructure's fault.
 */
export interface Blobs {
  /** Overwrites. Throws `disk_full` too (retryable). */
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** All of what was put, never a part of it. Throws `no_blob`. */
  get(key: string): Promise<Uint8Array>;
  /** Keys under a prefix, sorted; all of them. */
  list(prefix: string): Promise<string[]>;
  /** Deleting what is not there is no error. */
  delete(key: string): Promise<void>;
}
