import type { CacheState } from '@isthmus/kube';
import { ApiError } from '@isthmus/kube';
import { rfc3339 } from '@isthmus/machinery';
import type { AgentNote } from '../status/agent-status.ts';
import type { Bypass } from '../kernel/bypass.ts';

/** What notes need of a cache. */
interface NotedCache {
  readonly synced: boolean;
  readonly state: CacheState;
}

const carried = 'Packets are carried as before.';

/** The objects that an agent has read and does not read now. `caches`: by the names of what they hold. */
export function staleNotes(caches: Readonly<Record<string, NotedCache>>): readonly AgentNote[] {
  return Object.entries(caches).flatMap(([name, { synced, state }]) =>
    synced && state.kind === 'failing'
      ? [{ message: `${name} are those of ${rfc3339(state.sinceMs)}: ${state.why}`, next: nextOf(state.code) }]
      : [],
  );
}

function nextOf(code: number | undefined): string {
  switch (code) {
    case 401:
      return `${carried} The API server does not accept the token or certificate of the agent: replace its Pod, or correct its kubeconfig.`;
    case 403:
      return `${carried} Give the agent its permissions again: apply deploy/agent.yaml, or with Helm run helm upgrade.`;
    case 404:
      return `${carried} Apply the CustomResourceDefinitions again: deploy/member-crds.yaml, or with Helm run helm upgrade.`;
    default:
      return `${carried} Check whether the Node can reach its API server.`;
  }
}

/** A CNI that bypasses nft. */
export function bypassNotes(bypass: Bypass | undefined): readonly AgentNote[] {
  if (bypass === undefined) return [];
  const next = `Set what docs/guides/agent.md lists for ${bypass.by}, and then call an imported Service from a Pod of this Node.`;
  return [{ message: bypass.message, next }];
}

/** What to do where policies are on and their objects may not be read. `caches`: of these objects. */
export function missingRights(caches: readonly NotedCache[]): readonly AgentNote[] {
  const isMissing = caches.some(({ state }) => state.kind === 'failing' && state.code === 403);
  return isMissing
    ? [{ message: policyRightsMissing, next: 'Until then, the policies and labels that were read last hold.' }]
    : [];
}

const policyRightsMissing =
  'the agent runs with --enable-stretched-network-policy and lacks permissions for it; apply deploy/agent-policies.yaml, or with Helm set agent.enableStretchedNetworkPolicy=true';

/** The Lease of a gateway that cannot be written. `error`: of the last attempt. */
export function leaseNotes(lease: string, error: unknown): readonly AgentNote[] {
  if (error === undefined) return [];
  const why = error instanceof Error ? error.message : String(error);
  return [
    {
      message: `Lease ${lease} cannot be written, so the controller of this cluster does not know what this gateway can do: ${why}`,
      next: nextForLease(error),
    },
  ];
}

function nextForLease(error: unknown): string {
  switch (error instanceof ApiError ? error.code : undefined) {
    case 403:
      return `${carried} Give the agent its permissions again, in the Namespace of the controller: apply deploy/agent.yaml, or with Helm run helm upgrade.`;
    case 404:
      return `${carried} Use the Namespace of the controller, with --namespace: kubectl get clustersets -A shows it.`;
    default:
      return `${carried} Check whether the Node can reach its API server.`;
  }
}
