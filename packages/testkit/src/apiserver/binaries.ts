/**
 * The programs of a cluster, those that users run for it, a registry for images, and a DNS server.
 */
export const binaryNames = [
  'etcd',
  'etcdutl',
  'kube-apiserver',
  'kube-controller-manager',
  'kubectl',
  'registry',
  'coredns',
] as const;
export type BinaryName = (typeof binaryNames)[number];

/** The path of each program. */
export type Binaries = Readonly<Record<BinaryName, string>>;

/**
 * The programs that every cluster needs. Tests that need another one are skipped if it does not
 * exist.
 */
export const neededBinaries: readonly BinaryName[] = binaryNames.filter(
  (name) => name !== 'etcdutl' && name !== 'registry' && name !== 'coredns',
);

/** Where one program is, or would be. */
export type BinarySource =
  | { readonly kind: 'present'; readonly path: string }
  /** To be built to `path` from the Go module in envtest/. */
  | { readonly kind: 'build'; readonly path: string }
  /** `KUBEBUILDER_ASSETS` should contain it and does not. */
  | { readonly kind: 'missing'; readonly path: string };

/** Programs that archives for `KUBEBUILDER_ASSETS` do not contain. */
const notInArchives: readonly BinaryName[] = ['etcdutl', 'kube-controller-manager', 'registry', 'coredns'];

/**
 * Where each program comes from. With `assets` (the directory in `KUBEBUILDER_ASSETS`) all come
 * from there. Only programs that its archives do not contain come from `cache` if `assets` lacks
 * them. Without `assets`, all come from `cache`, and missing ones are to be built.
 */
export function planBinaries(input: {
  readonly cache: string;
  readonly assets: string | undefined;
  readonly exists: (path: string) => boolean;
}): Readonly<Record<BinaryName, BinarySource>> {
  const { cache, assets, exists } = input;
  const sourceOf = (name: BinaryName): BinarySource => {
    const cached = `${cache}/${name}`;
    if (assets !== undefined) {
      const given = `${assets}/${name}`;
      if (exists(given)) return { kind: 'present', path: given };
      if (!notInArchives.includes(name)) return { kind: 'missing', path: given };
    }
    return { kind: exists(cached) ? 'present' : 'build', path: cached };
  };
  return {
    etcd: sourceOf('etcd'),
    etcdutl: sourceOf('etcdutl'),
    'kube-apiserver': sourceOf('kube-apiserver'),
    'kube-controller-manager': sourceOf('kube-controller-manager'),
    kubectl: sourceOf('kubectl'),
    registry: sourceOf('registry'),
    coredns: sourceOf('coredns'),
  };
}

/** The Kubernetes version that a go.mod requires, with its `v`. Throws if it requires none. */
export function kubernetesVersionIn(goMod: string): string {
  const version = /^\s*(?:require\s+)?k8s\.io\/kubernetes\s+(v\d+\.\d+\.\d+\S*)/m.exec(goMod)?.[1];
  if (version === undefined) throw new Error('reading envtest/go.mod: it requires no version of k8s.io/kubernetes');
  return version;
}

/** The lowest Go version that a go.mod requires, e.g. `1.26.0`. Throws if it names none. */
export function goVersionIn(goMod: string): string {
  const version = /^go\s+(\S+)/m.exec(goMod)?.[1];
  if (version === undefined) throw new Error('reading envtest/go.mod: it has no go line');
  return version;
}

/**
 * The directory for the programs of one Kubernetes version: below `XDG_CACHE_HOME`, or below
 * `~/.cache` if that is unset or relative (the XDG base directory specification requires to ignore
 * a relative one).
 */
export function cacheDirectory(
  environment: Readonly<Record<string, string | undefined>>,
  home: string,
  version: string,
): string {
  const base = environment['XDG_CACHE_HOME'];
  return `${base?.startsWith('/') ? base : `${home}/.cache`}/isthmus/envtest/${version}`;
}
