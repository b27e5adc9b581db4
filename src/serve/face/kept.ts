/** What a part of the face keeps with a caller: a fork of the caller's session gets a copy, a reset leaves none. */
export interface Kept {
  fork(): Kept;
}
