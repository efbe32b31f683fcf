/**
 * Keys of labels and annotations that are never exported: on an object of another cluster they
 * would claim it for a controller, or make one act on it. A domain includes its subdomains.
 */
const reservedDomains: readonly string[] = [
  // Kubernetes: the owner of an EndpointSlice, the configuration that kubectl applied, DNS names to
  // publish …
  'kubernetes.io',
  'k8s.io',
  'x-k8s.io',
  // Ours, and those of the wire.
  'isthmus.dev',
  'antrea.io',
  // Tools that delete objects which have their mark and are not in their source.
  'helm.sh',
  'argoproj.io',
  'fluxcd.io',
  'k14s.io',
  'cattle.io',
];

/**
 * The keys that Kubernetes recommends for the description of an application, without `managed-by`
 * and `instance`: tools read these as ownership.
 */
const allowed: ReadonlySet<string> = new Set(
  ['name', 'version', 'component', 'part-of'].map((name) => `app.kubernetes.io/${name}`),
);

/**
 * Whether a label or annotation of this key may not be exported (docs/spec/wire.md §9). `key` is a
 * valid key.
 */
export function isReservedKey(key: string): boolean {
  const slash = key.indexOf('/');
  if (slash < 0 || allowed.has(key)) return false;
  // Keys of annotations may have capitals.
  const prefix = key.slice(0, slash).toLowerCase();
  return reservedDomains.some((domain) => prefix === domain || prefix.endsWith(`.${domain}`));
}
