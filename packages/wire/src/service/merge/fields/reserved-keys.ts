/**
 * Keys of labels and annotations that never travel: on an object of another cluster they would claim it for a controller, or have one act on it.
 * Domains stand for their subdomains as well.
 */
const reservedDomains: readonly string[] = [
  // Kubernetes: the owner of an EndpointSlice, what kubectl applied, DNS names to publish …
  'kubernetes.io',
  'k8s.io',
  'x-k8s.io',
  // Ours, and those of the wire.
  'isthmus.dev',
  'antrea.io',
  // Tools that delete what carries their mark and is not in their source.
  'helm.sh',
  'argoproj.io',
  'fluxcd.io',
  'k14s.io',
  'cattle.io',
];

/** What Kubernetes recommends to describe an application. Its `managed-by` and `instance` are not among them: tools take them for ownership. */
const allowed: ReadonlySet<string> = new Set(
  ['name', 'version', 'component', 'part-of'].map((name) => `app.kubernetes.io/${name}`),
);

/** Whether a label or annotation of this key may not be exported (docs/spec/wire.md §9). `key` is a valid key. */
export function isReservedKey(key: string): boolean {
  const slash = key.indexOf('/');
  if (slash < 0 || allowed.has(key)) return false;
  // Keys of annotations may have capitals.
  const prefix = key.slice(0, slash).toLowerCase();
  return reservedDomains.some((domain) => prefix === domain || prefix.endsWith(`.${domain}`));
}
