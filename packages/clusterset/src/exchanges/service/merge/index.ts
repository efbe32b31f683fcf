// The merge of one Service's exports, pure
export { mergeService } from './merge-service.ts';
export type { ExportedService, Merged } from './types.ts';
// Labels and annotations that are exported with a Service
export { readExportedMetadata } from './exported-metadata.ts';
export type { ExportedMetadata, StringMap } from './exported-metadata.ts';
// How old an export is
export { effectiveFirstExported, isStanding } from './age.ts';
// Endpoints into EndpointSlice objects
export { packSlices } from './endpoint-slices.ts';
// Pods behind ClusterIPs among slices
export { withPodsBehind } from './pods-behind.ts';
