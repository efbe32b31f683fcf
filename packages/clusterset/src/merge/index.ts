// The merge of one Service's exports, pure
export { mergeService } from './merge-service.ts';
export { conflictReasons } from './types.ts';
export type {
  ConflictCondition,
  ConflictReason,
  EndpointConditions,
  ExportedEndpoint,
  ExportedEndpointPort,
  ExportedEndpoints,
  ExportedEndpointSlice,
  ExportedPort,
  ExportedService,
  ExportedServiceSpec,
  ExportedSubset,
  Merged,
  MergedEndpoint,
  MergedEndpointPort,
  MergedEndpointSlice,
  MergedImport,
  MergedPort,
  MergedSubset,
  MergeProblem,
  Protocol,
  SessionAffinityConfig,
} from './types.ts';
// How old an export is
export type { AgeSources } from './age.ts';
export { effectiveFirstExported } from './age.ts';
// Endpoints into EndpointSlice objects
export type { NamedSlice, PackOptions, SliceContent, SliceEndpoint, SlicePort } from './endpoint-slices.ts';
export { packSlices } from './endpoint-slices.ts';
