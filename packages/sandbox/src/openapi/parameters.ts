import type { Json } from '@isthmus/schema';

/** Query and path parameters by name, with the type of each. */
const types: Readonly<Record<string, 'string' | 'integer' | 'boolean'>> = {
  allowWatchBookmarks: 'boolean',
  force: 'boolean',
  gracePeriodSeconds: 'integer',
  ignoreStoreReadErrorWithClusterBreakingPotential: 'boolean',
  limit: 'integer',
  orphanDependents: 'boolean',
  sendInitialEvents: 'boolean',
  timeoutSeconds: 'integer',
  watch: 'boolean',
};

const ofLists = [
  'allowWatchBookmarks',
  'continue',
  'fieldSelector',
  'labelSelector',
  'limit',
  'resourceVersion',
  'resourceVersionMatch',
  'sendInitialEvents',
  'shardSelector',
  'timeoutSeconds',
  'watch',
];
const ofWrites = ['dryRun', 'fieldManager', 'fieldValidation'];
const ofDeletes = [
  'dryRun',
  'gracePeriodSeconds',
  'ignoreStoreReadErrorWithClusterBreakingPotential',
  'orphanDependents',
  'propagationPolicy',
];

/** The parameters of an action, by the name that `x-kubernetes-action` has for it. */
export const parametersOf: Readonly<Record<string, readonly string[]>> = {
  list: ofLists,
  get: [],
  post: ofWrites,
  put: ofWrites,
  patch: [...ofWrites, 'force'],
  delete: ofDeletes,
  deletecollection: [
    ...ofLists.filter((name) => name !== 'allowWatchBookmarks' && name !== 'watch'),
    ...ofDeletes,
  ].toSorted((a, b) => (a < b ? -1 : 1)),
};

/** One parameter in the form of OpenAPI v3. `name` and `namespace` are in the path. */
export function parameter(name: string): Json {
  const inPath = name === 'name' || name === 'namespace';
  return {
    name,
    in: inPath ? 'path' : 'query',
    ...(inPath && { required: true }),
    schema: { type: types[name] ?? 'string', uniqueItems: true },
  };
}
