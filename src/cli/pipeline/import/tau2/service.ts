/** The retail service as data: examples/tau2-retail/service.yaml of this package. */
import { fileURLToPath } from 'node:url';
import { parseArtifact } from '../../../../artifacts/registry.js';
import type { ServiceSpec } from '../../../../artifacts/service.js';
import { exists, readData } from '../../../../corpus/files.js';
import { TreadleError } from '../../../../errors.js';

const OWN = fileURLToPath(new URL('../../../../../examples/tau2-retail/service.yaml', import.meta.url));

/** Reads and checks the spec. Throws `missing_file`, `unreadable_file` or `bad_artifact`. */
export const retailService = (file = OWN): ServiceSpec => {
  if (!exists(file))
    throw new TreadleError({
      code: 'missing_file',
      message: "The retail domain's service is not there",
      value: file,
      next: 'Give it with --service FILE: it is examples/tau2-retail/service.yaml of the repository.',
    });
  return parseArtifact('service', readData(file), file);
};
