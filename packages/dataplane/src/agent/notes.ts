import { ApiError } from '@isthmus/kube';
import type { Family } from '@isthmus/machinery';
import { errorMessage, rfc3339 } from '@isthmus/machinery';
import type { AgentNote } from '../status/agent-status.ts';
import type { CacheStatus, ObjectReader } from '../status/unread-reasons.ts';
import { nextStepOf } from '../status/unread-reasons.ts';
import type { Bypass } from '../surroundings/bypass.ts';

/**
 * The agent, and the manifests that give it permission to read its objects and those of policies.
 */
export const agentReader: ObjectReader = { who: 'agent', manifest: 'deploy/agent.yaml' };
export const policyReader: ObjectReader = { who: 'agent', manifest: 'deploy/agent-policies.yaml' };

const carried = 'Packets are carried as before.';

/**
 * Notes about objects that an agent has read once and cannot read now. `caches`: by the names of
 * their kinds.
 */
export function staleNotes(caches: Readonly<Record<string, CacheStatus>>, reader: ObjectReader): readonly AgentNote[] {
  return Object.entries(caches).flatMap(([name, { synced, state }]) =>
    synced && state.kind === 'failing'
      ? [
          {
            message: `${name} are those of ${rfc3339(state.sinceMs)}: ${state.why}`,
            next: `${carried} ${nextStepOf(state.code, reader) ?? 'Check whether the Node can reach its API server'}.`,
          },
        ]
      : [],
  );
}

/** The note about a CNI that bypasses nft. */
export function bypassNotes(bypass: Bypass | undefined): readonly AgentNote[] {
  if (bypass === undefined) return [];
  const next = `Set what docs/guides/agent.md lists for ${bypass.by}, and then call an imported Service from a Pod of this Node.`;
  return [{ message: bypass.message, next }];
}

/** Notes about firewalls on the Node that may drop packets of agents. */
export function firewallNotes(firewalls: readonly string[]): readonly AgentNote[] {
  return firewalls.map((message) => ({
    message,
    next: 'Have the firewall accept what docs/guides/agent.md lists. The agent looks again every ten minutes.',
  }));
}

/** Notes about families that the Node does not forward, although its cluster has Pods of them. */
export function forwardingNotes(families: readonly Family[]): readonly AgentNote[] {
  return families.map((family) => {
    const setting = forwardingSetting[family];
    return {
      message: `the kernel of this Node forwards no packets of ${family} (${setting} is 0): its Pods reach no other clusters, and as a gateway it carries nothing`,
      next: `Set it on the Node, as most CNIs do: sysctl -w ${setting}=1. The agent looks again every ten minutes.`,
    };
  });
}

const forwardingSetting = {
  IPv4: 'net.ipv4.ip_forward',
  IPv6: 'net.ipv6.conf.all.forwarding',
} as const satisfies Record<Family, string>;

/** The note about a Node that has refused this many connections lately. */
export function refusalNotes(refused: number): readonly AgentNote[] {
  return refused === 0
    ? []
    : [
        {
          message: `the connection tracking table of this Node was full: it refused ${refused} new connections in the last ten minutes or less`,
          next: 'Raise net.netfilter.nf_conntrack_max on the Node, or find what opens so many connections: conntrack -L.',
        },
      ];
}

/**
 * The note about a Node whose refused connections could not be counted. `why`: undefined if they
 * were.
 */
export const uncountedNotes = (why: string | undefined): readonly AgentNote[] =>
  conntrackNotes(
    'it is not known whether this Node drops new connections because its connection tracking table is full',
    why,
  );

/**
 * The note about UDP flows that were not ended when their endpoints went away. `why`: undefined if
 * they were.
 */
export const flowNotes = (why: string | undefined): readonly AgentNote[] =>
  conntrackNotes('UDP flows may continue to endpoints that are gone, until their clients pause', why);

const conntrackNotes = (message: string, why: string | undefined): readonly AgentNote[] =>
  why === undefined
    ? []
    : [
        {
          message: `${message}: ${why}`,
          next: 'The agent needs the program conntrack, which its image contains, and the capability NET_ADMIN. It tries again within ten minutes.',
        },
      ];

/** The note about a Node whose nft rules the usual `nft` cannot read. */
export function laterNftNotes(isUsed: boolean): readonly AgentNote[] {
  return isUsed
    ? [
        {
          message:
            'nft crashed, which versions up to 1.1.1 do where 1.1.2 or later has written sets; the agent uses a later one',
          next: 'Other programs of this Node may crash as well, such as kube-proxy in its nftables mode; see "Nodes with a later nft" in docs/guides/agent.md.',
        },
      ]
    : [];
}

/**
 * The next step if policies are on and the agent lacks permission to read their objects. `areRead`:
 * whether it considers caches that were read once, or those that were never read.
 */
export function missingRights(caches: Readonly<Record<string, CacheStatus>>, areRead: boolean): readonly AgentNote[] {
  const isMissing = Object.values(caches).some(
    ({ synced, state }) => synced === areRead && state.kind === 'failing' && state.code === 403,
  );
  return isMissing
    ? [{ message: policyRightsMissing, next: 'Until then, the policies and labels that were read last hold.' }]
    : [];
}

const policyRightsMissing =
  'the agent runs with --enable-stretched-network-policy and lacks permissions for it; apply deploy/agent-policies.yaml, or with Helm set agent.enableStretchedNetworkPolicy=true';

/**
 * The note about a Lease of a gateway that cannot be written. `error`: the error of the last
 * attempt.
 */
export function leaseNotes(lease: string, error: unknown): readonly AgentNote[] {
  if (error === undefined) return [];
  const why = errorMessage(error);
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
      return `${carried} ${nextStepOf(403, agentReader)}.`;
    case 404:
      return `${carried} Use the Namespace of the controller, with --namespace: kubectl get clustersets -A shows it.`;
    default:
      return `${carried} Check whether the Node can reach its API server.`;
  }
}
