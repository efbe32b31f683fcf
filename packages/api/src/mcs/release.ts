import { Label } from '../names.ts';

/**
 * The release of kubernetes-sigs/mcs-api whose schema the two CRDs carry, so that no installer
 * replaces a newer schema by an older one. v0.5.2 is the newest that was compared field by field;
 * it differs from v0.5.0 by `status.endpointSliceObjects` alone (v0.5.1 brought it).
 */
export const mcsRelease = {
  [Label.mcsReleaseVersion]: 'v0.5.2',
  [Label.mcsSchemaRevision]: '0',
} as const;
