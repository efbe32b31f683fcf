import { refOf } from '@isthmus/machinery';
import type { ImportProblem } from '@isthmus/wire';
import type { ExchangeConfig } from '../../../own-cluster/own-cluster.ts';
import type { NamespaceState, Problem } from './decide.ts';
import { afterTermination } from './decide.ts';

/** The problems that keep a Service from being imported, and that only this cluster knows. */
const ofThisCluster: ReadonlySet<string> = new Set<Problem['reason']>([
  'NamespaceDenied',
  'OverQuota',
  'ServiceNameTaken',
  'ForeignServiceImport',
  'WriteRejected',
  'IPFamilyNotSupported',
  'OutsideGrant',
]);

/** The Namespaces from which this cluster imports nothing, by its configuration. */
export function excludedForExporters({
  importExcludedNamespaces,
}: Pick<ExchangeConfig, 'importExcludedNamespaces'>): readonly (ImportProblem & {
  readonly namespace: string;
  readonly name?: undefined;
})[] {
  return importExcludedNamespaces.map((namespace) => ({
    reason: 'NamespaceExcluded',
    namespace,
    message: `The configuration of that cluster excludes Namespace ${namespace} from import`,
  }));
}

/**
 * The part of `problem` to report to the exporters of `key`; undefined: none. `namespaceState` is
 * that of the Namespace of `key` in this cluster.
 */
export function problemForExporters(
  key: string,
  problem: { readonly reason: string; readonly message: string } | undefined,
  namespaceState: NamespaceState,
): ImportProblem | undefined {
  if (problem === undefined) return undefined;
  const { namespace = '', name } = refOf(key);
  const { reason } = problem;
  if (reason === 'NamespaceMissing') {
    const message =
      namespaceState === 'terminating'
        ? `Namespace ${namespace} is being deleted there. ${afterTermination(namespace)}`
        : `Namespace ${namespace} does not exist there. To import it, run there: kubectl create namespace ${namespace}`;
    return { reason, namespace, message };
  }
  return ofThisCluster.has(reason) ? { reason, namespace, name, message: problem.message } : undefined;
}
