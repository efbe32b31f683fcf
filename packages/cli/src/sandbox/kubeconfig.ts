import { parseYaml, printYaml } from '@isthmus/machinery';
import type { KeyPair } from '@isthmus/sandbox';
import type { FleetCluster } from './fleet-cluster.ts';

/** The fields of a cluster that a kubeconfig needs. */
export type ReachableCluster = Pick<FleetCluster, 'name' | 'url' | 'caData' | 'user'>;

/** The mark of each cluster in our kubeconfigs. kubectl keeps extensions when it changes a file. */
const mark = 'sandbox.isthmus.dev';

/**
 * A kubeconfig with a context, a cluster and a user for each cluster, all of its name; the first is
 * the current one. Holds the private keys of administrators.
 */
export function renderKubeconfig(clusters: readonly ReachableCluster[]): string {
  return printYaml({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': clusters[0]?.name ?? '',
    clusters: clusters.map(({ name, url, caData }) => ({
      name,
      cluster: {
        server: url,
        'certificate-authority-data': base64(caData),
        extensions: [{ name: mark, extension: { 'lives-as-long-as': 'isthmus sandbox up' } }],
      },
    })),
    users: clusters.map(({ name, user }) => ({
      name,
      user: { 'client-certificate-data': base64(user.certData), 'client-key-data': base64(user.keyData) },
    })),
    contexts: clusters.map(({ name }) => ({ name, context: { cluster: name, user: name } })),
  });
}

/** A cluster in a kubeconfig that this program wrote. */
export interface WrittenCluster {
  readonly name: string;
  readonly server: string;
  /** PEM. */
  readonly caData: string;
  /** The client certificate of the user of its name. */
  readonly user: KeyPair;
}

/**
 * The clusters of a kubeconfig that is ours: each has our mark, and each user is one that came with
 * them. Undefined for any other text, so that credentials of other clusters are never lost.
 * Contexts may have been added or changed.
 */
export function readOwnKubeconfig(text: string): readonly WrittenCluster[] | undefined {
  try {
    const [document] = parseYaml(text, { source: 'kubeconfig' });
    if (document === undefined) return undefined;
    const { kind, clusters, users } = document.value as Kubeconfig;
    const isMarked = ({ cluster }: ClusterEntry) => cluster.extensions.some(({ name }) => name === mark);
    if (kind !== 'Config' || clusters.length === 0 || !clusters.every(isMarked)) return undefined;
    const names = clusters.map(({ name }) => name);
    if (!users.every(({ name }) => names.includes(name))) return undefined;
    const userOf = (name: string): KeyPair => {
      const found = users.find((one) => one.name === name)?.user;
      return {
        certData: plain(found?.['client-certificate-data'] ?? ''),
        keyData: plain(found?.['client-key-data'] ?? ''),
      };
    };
    return clusters.map(({ name, cluster }) => ({
      name,
      server: cluster.server,
      caData: plain(cluster['certificate-authority-data']),
      user: userOf(name),
    }));
  } catch {
    // Not YAML, or not of the form below.
    return undefined;
  }
}

/** The fields that this program has written; in another file, any of them may be missing. */
interface Kubeconfig {
  readonly kind: string;
  readonly clusters: readonly ClusterEntry[];
  readonly users: readonly UserEntry[];
}

interface UserEntry {
  readonly name: string;
  readonly user?:
    | { readonly 'client-certificate-data'?: string | undefined; readonly 'client-key-data'?: string | undefined }
    | undefined;
}

interface ClusterEntry {
  readonly name: string;
  readonly cluster: {
    readonly server: string;
    readonly 'certificate-authority-data': string;
    readonly extensions: readonly { readonly name: string }[];
  };
}

function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}

function plain(text: string): string {
  return Buffer.from(text, 'base64').toString('utf8');
}
