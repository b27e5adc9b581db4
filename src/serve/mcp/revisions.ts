/** The protocol revisions we serve and what each of them knows. Classic ones open with `initialize`, modern ones are stateless. */

export interface Revision {
  version: string;
  era: 'classic' | 'modern';
  /** `structuredContent` in results, `outputSchema` in listings. */
  structured: boolean;
  /** Both of these may be any JSON; before 2026 only objects. */
  anyShape: boolean;
  annotations: boolean;
  /** JSON-RPC arrays. */
  batches: boolean;
}

const classic = (version: string, structured: boolean, annotations: boolean, batches: boolean): Revision => ({
  version,
  era: 'classic',
  structured,
  anyShape: false,
  annotations,
  batches,
});

/** Newest first; the first is what an unknown `initialize` version is answered with. */
export const CLASSIC_REVISIONS: readonly Revision[] = [
  classic('2025-11-25', true, true, false),
  classic('2025-06-18', true, true, false),
  classic('2025-03-26', false, true, true),
  classic('2024-11-05', false, false, false),
];

export const MODERN_REVISIONS: readonly Revision[] = [
  { version: '2026-07-28', era: 'modern', structured: true, anyShape: true, annotations: true, batches: false },
];

export const MODERN_VERSIONS: readonly string[] = MODERN_REVISIONS.map((revision) => revision.version);

/** What a request over HTTP without a version header is read as (revision 2025-06-18, transports). */
export const UNNAMED_REVISION: Revision = CLASSIC_REVISIONS.find((revision) => revision.version === '2025-03-26')!;

/** Versions are ISO dates, so they sort as text. */
export const isModern = (version: string): boolean => version >= '2026-07-28';

export const classicRevision = (version: string): Revision | undefined =>
  CLASSIC_REVISIONS.find((revision) => revision.version === version);

export const modernRevision = (version: string): Revision | undefined =>
  MODERN_REVISIONS.find((revision) => revision.version === version);
