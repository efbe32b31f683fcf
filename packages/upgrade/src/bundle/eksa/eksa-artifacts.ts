/**
 * An artifact in the form of our bundles, and its path in the file that it was read from.
 */
export interface ReadArtifact {
  readonly name: string;
  readonly kind: 'image' | 'chart' | 'manifest' | 'binary';
  readonly uri: string;
  readonly digest?: string | undefined;
  readonly path: string;
}

/**
 * The artifacts that a section of EKS Anywhere holds, at any depth, by name: images (with
 * `imageDigest`), charts (images called `helmChart`), archives (with `sha256`), and entries with a
 * location and no digest. The last are manifests, which are applied, and files that are not, such
 * as kernels. A digest in another form is left out.
 */
export function artifactsIn(section: object, path: string): readonly ReadArtifact[] {
  const found = [...walk(section, path, [], 0)];
  return found.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

/** Sections hold images two levels deep; deeper values are not artifacts. */
const deepest = 6;

function* walk(value: object, path: string, names: readonly string[], depth: number): Iterable<ReadArtifact> {
  for (const [key, member] of Object.entries(value)) {
    if (typeof member !== 'object' || member === null) continue;
    const at = Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`;
    const inner = [...names, kebab(key)];
    const artifact = Array.isArray(member) ? undefined : artifactOf(member as object, key, inner.join('-'), at);
    if (artifact !== undefined) yield artifact;
    else if (depth < deepest) yield* walk(member as object, at, inner, depth + 1);
  }
}

function artifactOf(value: object, key: string, name: string, path: string): ReadArtifact | undefined {
  const { uri, imageDigest, sha256 } = value as Readonly<Record<string, unknown>>;
  if (typeof uri !== 'string' || uri === '') return undefined;
  if (imageDigest !== undefined || 'imageDigest' in value) {
    const kind = key === 'helmChart' ? 'chart' : 'image';
    return { name, kind, uri, digest: digestOf(imageDigest), path };
  }
  if (sha256 !== undefined) return { name, kind: 'binary', uri, digest: digestOf(sha256), path };
  // An image of which the digest was left out has an operating system or an architecture; the rest
  // has a location alone.
  const isImage = 'arch' in value || 'os' in value;
  if (isImage) return { name, kind: key === 'helmChart' ? 'chart' : 'image', uri, path };
  const isApplied = /\.ya?ml(?:[?#]|$)/i.test(uri) && !ofClusterctl.includes(key);
  return { name, kind: isApplied ? 'manifest' : 'binary', uri, path };
}

/**
 * Files that only clusterctl reads of a provider: its releases, and a template of clusters, which
 * are often neither objects nor YAML.
 */
const ofClusterctl: readonly string[] = ['metadata', 'clusterTemplate'];

function digestOf(text: unknown): string | undefined {
  if (typeof text !== 'string') return undefined;
  const [, hex] = /^(?:sha256:)?([0-9a-f]{64})$/.exec(text) ?? [];
  return hex === undefined ? undefined : `sha256:${hex}`;
}

/** `kubeRbacProxy` as `kube-rbac-proxy`; what an id cannot hold becomes a dash. */
function kebab(key: string): string {
  const words = key
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1-$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-');
  return words.replace(/^-|-$/g, '') || 'x';
}
