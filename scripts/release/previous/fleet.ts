/** The clusters of the recorded fleet. */
export const clusters = { north: 'leader', east: 'member', west: 'member' } as const;

/**
 * The Services of Namespace `shop` that it exports, and the clusters that export each; the first of
 * them exports first.
 */
export const exported: readonly { readonly name: string; readonly by: readonly (keyof typeof clusters)[] }[] = [
  { name: 'cart', by: ['west', 'east'] },
  { name: 'orders', by: ['west'] },
  { name: 'search', by: ['east'] },
];

/**
 * The kinds of which all objects are recorded, by the names of their definitions in `@isthmus/api`.
 */
export const recordedKinds = [
  'Namespace',
  'Node',
  'Secret',
  'Pod',
  'Service',
  'EndpointSlice',
  'ClusterClaim',
  'ClusterSet',
  'MemberClusterAnnounce',
  'ResourceExport',
  'ResourceImport',
  'ServiceExport',
  'ServiceImport',
  'ClusterInfoImport',
  'Gateway',
  'LabelIdentity',
] as const;
