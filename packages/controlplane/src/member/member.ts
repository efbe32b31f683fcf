import {
  ClusterClaim,
  ClusterInfoImport,
  ClusterNetworkPolicy,
  ClusterNetworkPolicyV1alpha1,
  ClusterSet,
  Gateway,
  KnownCluster,
  Namespace,
  Node,
  ServiceExport,
  ServiceExportV1alpha1,
  ServiceImport,
  ServiceImportV1alpha1,
  Tier,
  TierV1alpha1,
} from '@isthmus/api';
import type { CacheState, Client, EventRecorder, Resource, RunnableCache, World } from '@isthmus/kube';
import { createCache, metadataOf, resourceOf, untilDefined } from '@isthmus/kube';
import type { KubernetesObject, ResourceType } from '@isthmus/machinery';
import { equal, resourceNameOf } from '@isthmus/machinery';
import { forgottenAfterMs, servedClusterSet } from '@isthmus/wire';
import type { AdmissionWatch } from '../admission-watch.ts';
import type { ControlPlane } from '../control-plane.ts';
import { runTogether } from '../control-plane.ts';
import type { Exchange } from '../define-exchange.ts';
import { createHeld } from '../loss/held.ts';
import { createClusterSetConditions } from '../own-cluster/cluster-set-conditions.ts';
import type { ExchangeConfig, OpenOptions, OwnCluster, UnservedKinds } from '../own-cluster/own-cluster.ts';
import { createOwnNodes } from '../own-cluster/own-nodes.ts';
import { createSharedValue } from '../reporting/shared-value.ts';
import { exchanges as allExchanges } from '../exchanges/index.ts';
import type { RejectedConfig } from '../process/rejected-config.ts';
import { noRejectedConfig } from '../process/rejected-config.ts';
import { grantsFrom } from '../known-clusters/grants.ts';
import { createReports } from '../reporting/reports.ts';
import { memberClusterSetController } from './cluster-set/reconcile.ts';
import { createCandidateLeases } from './gateway/candidate-leases.ts';
import { createGatewayNodes } from './gateway/gateway-nodes.ts';
import { createMarkedNodes } from './gateway/marked-nodes.ts';
import { gatewayController } from './gateway/reconcile.ts';
import { unwatchedClusterSetsController } from './unwatched-cluster-sets.ts';
import { createMembershipSupervisor } from './membership-supervisor.ts';
import type { ConnectToLeader } from './membership-run.ts';
import { createMembershipRun } from './membership-run.ts';
import { joinAtPace } from './paced-imports.ts';
import { createSecretCache } from './secret-cache.ts';
import type { ServedVersions } from './served-versions.ts';
import { isLasting, onLastingState } from '../loss/lasting-unserved.ts';
import { createDeniedAccess } from './denied-access.ts';
import { createServedVersions } from './served-versions.ts';

export interface MemberOptions {
  /** A client for this cluster's own API server. */
  readonly client: Client;
  /**
   * The controller's Namespace, with the ClusterSet, ClusterClaims and the Secret for the leader.
   */
  readonly namespace: string;
  readonly config: ExchangeConfig;
  readonly version: string;
  /** Creates a client for the leader's API server. It is closed when the session ends. */
  readonly connect: ConnectToLeader;
  readonly decodeBase64: (text: string) => string;
  readonly events: EventRecorder;
  readonly world: World;
  /** Fields of the configuration that are set but not used. Default: none. */
  readonly unusedSettings?: readonly string[] | undefined;
  /** The configuration file that the process rejected, if there is one. Default: none. */
  readonly rejectedConfig?: RejectedConfig | undefined;
  /**
   * How long a silent member is remembered, in milliseconds. Default: a day, as documented. Tests
   * use less time.
   */
  readonly forgottenAfterMs?: number | undefined;
  /**
   * Whether the API server has the admission policies of the member. It runs as long as the member.
   */
  readonly admission: AdmissionWatch;
  /** What is exported and imported. Default: every exchange of Isthmus. */
  readonly exchanges?: readonly Exchange[] | undefined;
}

/**
 * The control plane of a member: it joins a ClusterSet, exports objects of this cluster and imports
 * those of others.
 */
export function createMember(options: MemberOptions): ControlPlane {
  const { namespace, world, exchanges = allExchanges } = options;
  const access = createDeniedAccess(options.client, world.clock, () => caches.retry());
  const versions = createServedVersions(access.client, [...mcsVersions, ...policyVersions], world.clock);
  const { client } = versions;
  const caches = createCaches(options, versions);
  const clusterSets = caches.open(ClusterSet, { name: 'clusterSets', scope: 'own' });
  const nodes = caches.open(metadataOf(Node), { name: 'nodes', scope: 'all', optional: true });
  const gatewayNodes = createGatewayNodes(
    createMarkedNodes(nodes.cache, client, world),
    createCandidateLeases(client, { namespace, world }),
    options.config.gatewayIPPrecedence,
  );
  const ownNodes = createOwnNodes(nodes.cache, client, world);
  const knownClusters = caches.open(KnownCluster, { name: 'knownClusters', scope: 'own', optional: true });
  const own: OwnCluster = {
    namespace,
    config: options.config,
    clusterSets,
    served: () => servedClusterSet(clusterSets.cache.list()),
    clusterClaims: caches.open(ClusterClaim, { name: 'clusterClaims', scope: 'own', whenUnserved: 'empty' }),
    namespaces: caches.open(Namespace, { name: 'namespaces', scope: 'all' }),
    gateways: caches.open(Gateway, { name: 'gateways', scope: 'own', optional: true }),
    gatewayNodes,
    ownNodes,
    networkConflict: createSharedValue((a, b) => equal(a, b)),
    virtualPodCIDRs: createSharedValue((a, b) => equal(a, b)),
    clusterInfoImports: caches.open(ClusterInfoImport, { name: 'clusterInfoImports', scope: 'own', optional: true }),
    knownClusters,
    grants: grantsFrom(knownClusters.cache, { namespace, unknownClusters: 'Observe', clock: world.clock }),
    events: createReports(options.events),
    clusterSetConditions: createClusterSetConditions(world.clock),
    held: createHeld(world.clock),
    forgottenAfterMs: options.forgottenAfterMs ?? forgottenAfterMs,
    heldExports: createHeld(world.clock),
    world,
    unserved: caches.unserved,
    denied: { list: () => withoutReadsOf(caches.optional(), access.list()), onChange: access.onChange },
    client,
    open: caches.open,
  };
  const everywhere = caches.open(ClusterSet, { name: 'clusterSets of all Namespaces', scope: 'all', optional: true });
  const parts = exchanges.map(({ member }) => joinAtPace(member, own));
  const run = createMembershipRun({
    ...options,
    exchanges,
    own,
    parts,
    isRead: () => caches.notReady().length === 0,
  });
  return {
    notReady: caches.notReady,
    sessionUnknown: () => run.sessionUnknown(),
    async run(signal) {
      const supervisor = createMembershipSupervisor((membership, end) =>
        // An error in one membership must not end the process: another membership may follow.
        run.live(membership, end).catch((error: unknown) => {
          world.log.error('the membership cannot be served', error, { membership: membership.kind });
        }),
      );
      const secrets = createSecretCache({ client: options.client, namespace, world }, signal);
      const clusterSet = memberClusterSetController({
        local: own,
        secrets,
        run: run.seenBy((membership) => supervisor.want(membership)),
        decodeBase64: options.decodeBase64,
        unusedSettings: options.unusedSettings ?? [],
        rejectedConfig: options.rejectedConfig ?? noRejectedConfig,
        admission: options.admission,
        world,
      });
      const unwatched = unwatchedClusterSetsController(own, everywhere.cache);
      const gateways = gatewayController(own, gatewayNodes);
      await runTogether(
        [...caches.all(), supervisor, access, gatewayNodes, ownNodes, options.admission],
        [clusterSet, unwatched, gateways],
        {
          world,
          signal,
        },
      );
    },
  };
}

/** Antrea's CRDs have only the older version. */
const mcsVersions = [
  { wanted: ServiceExport, older: ServiceExportV1alpha1 },
  { wanted: ServiceImport, older: ServiceImportV1alpha1 },
];
/** Antrea has served the newer versions since 1.13. The replicated fields are in both. */
const policyVersions = [
  { wanted: ClusterNetworkPolicy, older: ClusterNetworkPolicyV1alpha1, isEquivalent: true },
  { wanted: Tier, older: TierV1alpha1, isEquivalent: true },
];

interface Caches {
  open<T extends KubernetesObject>(type: ResourceType<T>, options: OpenOptions<T>): Resource<T>;
  all(): readonly { run(signal: AbortSignal): Promise<void> }[];
  /**
   * Caches that cannot read try again now. After a while, the pauses between their attempts are
   * long.
   */
  retry(): void;
  notReady(): readonly string[];
  /** Kinds that the member does not need to be ready. */
  optional(): readonly string[];
  readonly unserved: UnservedKinds;
}

/** The caches of the own cluster, in the order in which they are opened. */
function createCaches(
  { client: direct, namespace, world }: MemberOptions,
  { client, ...versions }: ServedVersions,
): Caches {
  const opened = new Map<
    string,
    {
      readonly name: string;
      readonly resource: string;
      readonly optional: boolean;
      readonly whenUnserved: OpenOptions<never>['whenUnserved'];
      readonly cache: Pick<RunnableCache<never>, 'synced' | 'run' | 'state' | 'onState' | 'renew'>;
    }
  >();
  return {
    open(type, { name, scope, indexes, whenUnserved, fieldValidation, optional = false }) {
      const resource = resourceNameOf(type);
      const id = `${scope} ${resource}`;
      if (opened.has(id)) throw new Error(`the cache of ${resource} is already open`);
      const where = scope === 'own' ? { namespace } : {};
      const isSecond = [...opened.values()].some((other) => other.resource === resource);
      const named = isSecond ? { name: `${resource}-${scope}` } : {};
      const untilServed = whenUnserved === 'empty' ? untilDefined({ ...world, client: direct, type }) : undefined;
      const cache = createCache({ ...world, client, type, ...where, ...named, indexes, whenUnserved, untilServed });
      opened.set(id, { name, resource, cache, optional, whenUnserved });
      return resourceOf(type, cache, client, { fieldValidation });
    },
    all: () => [...opened.values()].map(({ cache }) => cache),
    retry() {
      for (const { cache } of opened.values()) if (cache.state.kind === 'failing') cache.renew();
    },
    notReady: () =>
      [...opened.values()].flatMap(({ name, optional, cache }) =>
        cache.synced || optional ? [] : [`${name} are not read yet`],
      ),
    optional: () => [...opened.values()].flatMap(({ optional, resource }) => (optional ? [resource] : [])),
    unserved: {
      list: () =>
        [...opened.values()].flatMap((one) =>
          one.optional && isRefused(one.cache.state, one.whenUnserved) && isLasting(one.cache, world)
            ? [one.resource]
            : [],
        ),
      missing: () =>
        [...opened.values()].flatMap(({ resource, optional, whenUnserved, cache }) =>
          !optional && whenUnserved !== 'empty' && cache.state.kind === 'failing' && cache.state.code === 404
            ? [resource]
            : [],
        ),
      older: versions.older,
      onChange(listener) {
        const caches = [...opened.values()].map(({ cache }) => cache);
        const stops = [versions.onChange(listener), onLastingState(caches, world, listener)];
        return () => stops.forEach((stop) => stop());
      },
    },
  };
}

/** Denied requests, except reads of those kinds, which have their own message. */
function withoutReadsOf(optional: readonly string[], denied: readonly string[]): readonly string[] {
  const reads = new Set(optional.flatMap((resource) => [`list ${resource}`, `watch ${resource}`]));
  return denied.filter((what) => !reads.has(what));
}

/**
 * Whether the API server answers, but does not serve a required kind, or does not allow it to be
 * read.
 */
function isRefused(state: CacheState, whenUnserved: OpenOptions<never>['whenUnserved']): boolean {
  return state.kind === 'failing' && (state.code === 403 || (state.code === 404 && whenUnserved !== 'empty'));
}
