import type { EventReason } from '@isthmus/api';
import { Gateway, Lease, Node, Service, ServiceCIDR, gatewayLeaseName, nodeStatus } from '@isthmus/api';
import type { Reconciler } from '@isthmus/kube';
import { again, atStart, defineReconciler, done, from, onChange } from '@isthmus/kube';
import type { KubernetesObject } from '@isthmus/machinery';
import { shown } from '@isthmus/wire';
import type { ControllerAccess } from '../../controller-access.ts';
import type { OwnCluster } from '../../own-cluster/own-cluster.ts';
import { decideGateways } from './decide.ts';
import { ignoredMarks } from './ignored-marks.ts';
import type { GatewayCandidate } from './candidate.ts';
import type { GatewayNodes } from './gateway-nodes.ts';
import { findServiceCIDR } from '../../own-cluster/service-cidr.ts';
import { onClusterSets } from '../../reporting/cluster-sets-changed.ts';

/** An Event lives for an hour. */
const repeatMs = 1_800_000;

/**
 * If the Nodes or Gateways change, the key wakes before. A cluster with older manifests allows
 * neither to be read, which its ClusterSet reports.
 */
const unreadMs = 60_000;

/** The access that this controller needs. */
export const gatewayAccess: readonly ControllerAccess[] = [
  {
    at: 'local',
    type: Gateway,
    scope: 'own',
    verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'],
    optional: true,
  },
  { at: 'local', type: Node, scope: 'all', verbs: ['get', 'list', 'watch'], optional: true },
  // To read the reports of their agents.
  { at: 'local', type: Lease, scope: 'own', verbs: ['get', 'list', 'watch'], optional: true },
  { at: 'local', type: ServiceCIDR, scope: 'all', verbs: ['get'], optional: true },
  // For a dry run, if the API server serves no ServiceCIDRs.
  { at: 'local', type: Service, scope: 'all', verbs: ['create'] },
];

/**
 * How often to look up the Service CIDR. An administrator may replace ServiceCIDR `kubernetes`, and
 * restart the API server with another range.
 */
const lookUpMs = 600_000;

const theOnly = 'gateway';

/**
 * Keeps one Gateway for the Nodes that users have marked, while this cluster is in a ClusterSet. It
 * needs only facts from this cluster, and no leader.
 */
export function gatewayController(own: OwnCluster, nodes: GatewayNodes): Reconciler {
  const all = () => [theOnly];
  // A cache of the API server's last answer and its time. A restart loses it, which costs one
  // request.
  let discovered: { readonly range: string | undefined; readonly ms: number } | undefined;
  // The last reports by Node and reason, with their times. A restart loses them, which costs one
  // more Event.
  const reported = new Map<string, { readonly text: string; readonly ms: number }>();
  return defineReconciler({
    name: 'gateway',
    concurrency: 1,
    sources: [
      onClusterSets(own.clusterSets.cache, all),
      onChange(nodes.onChange, all),
      onChange(own.gateways.cache.onState, all),
      atStart(theOnly),
    ],
    optionalSources: [from(own.gateways.cache, all)],
    access: gatewayAccess,
    async reconcile(_key, { signal }) {
      // With an incomplete list, an existing Gateway would be created again, or deleted as surplus.
      if (!own.gateways.cache.synced || !nodes.synced) return again(unreadMs, 'Nodes and Gateways are being read');
      const clusterSet = own.served();
      const joined = clusterSet !== undefined && clusterSet.metadata.deletionTimestamp === undefined;
      const candidates = nodes.candidates();
      const gateways = own.gateways.cache.list();
      if (joined) report();
      const serviceCIDR = joined && candidates.length > 0 ? await serviceCIDROf(signal) : undefined;
      const decision = decideGateways({ joined, candidates, gateways, serviceCIDR, namespace: own.namespace });
      switch (decision.kind) {
        case 'keep':
          if (candidates.length > 0 && own.config.serviceCIDR === undefined)
            return again(lookUpMs, 'Events expire, and the Service CIDR may change');
          return candidates.length + nodes.ignored().length > 0 ? again(repeatMs, 'Events expire') : done;
        // The write wakes the key: a surplus Gateway is deleted after its replacement exists.
        case 'create':
          await own.gateways.create(decision.gateway, signal);
          reportActive(decision.gateway);
          return done;
        case 'change':
          await own.gateways.change(decision.current, decision.desired, signal);
          return done;
        case 'delete':
          await own.gateways.delete(decision.gateway, signal);
          return done;
      }

      function report(): void {
        const notes = [
          ...candidates.flatMap((candidate) => notesOn(candidate, gateways)),
          ...nodes.ignored().map((node) => noteOn(node, 'GatewayMarkIgnored', ignoredMarks(node).join('. '))),
        ];
        const nowMs = own.world.clock.monotonic();
        const named = new Set(notes.map(keyOfNote));
        for (const key of reported.keys()) if (!named.has(key)) reported.delete(key);
        for (const note of notes) {
          const { node, reason, message } = note;
          const before = reported.get(keyOfNote(note));
          if (before?.text === message && nowMs - before.ms < repeatMs) continue;
          reported.set(keyOfNote(note), { text: message, ms: nowMs });
          own.events.report(node, nodeStatus, { reason, message });
        }
      }

      function reportActive({ metadata }: Gateway): void {
        const node = candidates.find((one) => one.node.metadata.name === metadata.name)?.node;
        const message = 'The Node is now the gateway of this cluster.';
        if (node !== undefined) own.events.report(node, nodeStatus, { reason: 'GatewayActive', message });
      }
    },
  });

  async function serviceCIDROf(signal: AbortSignal): Promise<string | undefined> {
    if (own.config.serviceCIDR !== undefined) return own.config.serviceCIDR;
    const nowMs = own.world.clock.monotonic();
    if (discovered?.range !== undefined && nowMs - discovered.ms < lookUpMs) return discovered.range;
    try {
      const found = await findServiceCIDR(own.client, { namespace: own.namespace, signal });
      discovered = { range: found ?? discovered?.range, ms: nowMs };
    } catch (error) {
      // The former answer is used until the next look.
      if (discovered?.range === undefined) throw error;
      discovered = { ...discovered, ms: nowMs };
    }
    return discovered.range;
  }
}

function notesOn({ node, addresses, isExpired, ignored }: GatewayCandidate, gateways: readonly Gateway[]) {
  const kept = gateways.find(({ metadata }) => metadata.name === node.metadata.name)?.gatewayIP;
  const keeps = kept === undefined ? '' : ` Gateway ${node.metadata.name} keeps the address ${shown(kept)}.`;
  const lease = `Lease ${gatewayLeaseName(node.metadata.name)}`;
  return [
    ...(addresses.kind === 'valid'
      ? []
      : [noteOn(node, 'GatewayNotPossible', `The Node is marked as a gateway, but ${addresses.problem}.${keeps}`)]),
    ...(isExpired
      ? [
          noteOn(
            node,
            'GatewayNotAlive',
            `The agent on the Node does not renew ${lease}, so the Node is not used as a gateway while another one can be.`,
          ),
        ]
      : []),
    ...(ignored === undefined
      ? []
      : [noteOn(node, 'GatewayLeaseIgnored', `A part of ${lease} is not used: ${ignored}.`)]),
  ];
}

function keyOfNote({ node, reason }: { readonly node: KubernetesObject; readonly reason: string }): string {
  return `${node.metadata.name} ${reason}`;
}

function noteOn<N>(node: N, reason: EventReason<typeof nodeStatus>, message: string) {
  return { node, reason, message };
}
