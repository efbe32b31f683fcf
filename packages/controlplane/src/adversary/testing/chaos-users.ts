import {
  ClusterSet,
  EndpointSlice,
  MemberClusterAnnounce,
  Namespace,
  Pod,
  ResourceExport,
  ResourceImport,
  Secret,
  Service,
  ServiceExport,
  ServiceImport,
} from '@isthmus/api';
import type { ServicePort } from '@isthmus/api';
import type { KubernetesObject, ObjectRef, Random, ResourceType } from '@isthmus/machinery';
import type { VirtualCluster, VirtualFleet } from '@isthmus/fleet-sim';
import {
  clusterSetName,
  exportService,
  leaderNamespace,
  leaderSecret,
  memberNamespace,
  putPod,
  putService,
} from '@isthmus/fleet-sim';

/** The Services that users change. The last two have the same name on the leader. */
const playedServices = [
  { namespace: 'shop', name: 'cart' },
  { namespace: 'shop', name: 'web' },
  { namespace: 'shop', name: 'web-api' },
  { namespace: 'shop-web', name: 'api' },
] as const;

/** The Services of a run: those of {@link playedServices}, or many. */
export function servicesOf(mischief: Mischief): readonly { readonly namespace: string; readonly name: string }[] {
  if (mischief.many !== undefined)
    return Array.from({ length: mischief.many }, (_, index) => ({ namespace: 'shop', name: `svc-${index}` }));
  return mischief.collisions === true ? playedServices : playedServices.slice(0, 2);
}

const portSets: readonly (readonly ServicePort[])[] = [
  [{ name: 'http', protocol: 'TCP', port: 80, targetPort: 8080 }],
  [{ name: 'http', protocol: 'TCP', port: 81, targetPort: 8080 }],
  [
    { name: 'http', protocol: 'TCP', port: 80, targetPort: 8080 },
    { name: 'admin', protocol: 'TCP', port: 9000, targetPort: 9000 },
  ],
  [{ protocol: 'UDP', port: 53, targetPort: 5353 }],
];

export const clusterSetRef = { namespace: memberNamespace, name: clusterSetName } as const;

export function pick<T>(random: Random, items: readonly T[]): T {
  const item = items[Math.floor(random.next() * items.length)];
  if (item === undefined) throw new Error('picking from nothing');
  return item;
}

/** What the users of a run may do besides exporting. */
export interface Mischief {
  /** Services whose names are the same on the leader. */
  readonly collisions?: boolean | undefined;
  readonly headless?: boolean | undefined;
  readonly namespaces?: boolean | undefined;
  readonly membership?: boolean | undefined;
  /** Users delete and change by hand what controllers created. */
  readonly drift?: boolean | undefined;
  /** This many Services, and users who export and withdraw all at once. */
  readonly many?: number | undefined;
}

type Action = (fleet: VirtualFleet, member: VirtualCluster, random: Random) => string | undefined;

const namespaceIsThere = ({ server }: VirtualCluster, name: string) => {
  const found = server.admin.get(Namespace, { name });
  return found !== undefined && found.metadata.deletionTimestamp === undefined;
};

function actionsOf(mischief: Mischief): readonly (readonly [weight: number, name: string, action: Action])[] {
  const refs = servicesOf(mischief);
  const withRef =
    (
      act: (
        member: VirtualCluster,
        ref: ObjectRef & { readonly namespace: string },
        random: Random,
        fleet: VirtualFleet,
      ) => string | undefined,
    ): Action =>
    (fleet, member, random) => {
      const ref = pick(random, refs);
      if (!namespaceIsThere(member, ref.namespace)) return undefined;
      const more = act(member, ref, random, fleet);
      return more === undefined ? undefined : `${ref.namespace}/${ref.name} ${more}`;
    };
  return [
    [
      6,
      'put service',
      withRef((member, ref, random) => {
        const index = Math.floor(random.next() * portSets.length);
        putService(member, portSets[index] ?? [], ref);
        return `ports ${index}`;
      }),
    ],
    [
      6,
      'export',
      withRef((member, ref) => {
        exportService(member, ref);
        return '';
      }),
    ],
    [
      4,
      'unexport',
      withRef((member, ref) => {
        member.server.admin.delete(ServiceExport, ref);
        return '';
      }),
    ],
    [
      5,
      'pod',
      withRef((member, ref, random) => {
        const n = Math.floor(random.next() * 3);
        const ready = random.next() < 0.7;
        const octet = refs.findIndex((other) => other.name === ref.name);
        putPod(member, `${ref.name}-${n}`, `10.20.${(member.name.length * 40 + octet) % 256}.${n + 1}`, {
          app: ref.name,
          namespace: ref.namespace,
          ready,
        });
        return `${n} ${ready ? 'ready' : 'unready'}`;
      }),
    ],
    [
      2,
      'delete pod',
      withRef((member, ref, random) => {
        const name = `${ref.name}-${Math.floor(random.next() * 3)}`;
        member.server.admin.delete(Pod, { namespace: ref.namespace, name });
        return name;
      }),
    ],
    [
      mischief.many === undefined ? 0 : 3,
      'export or withdraw all',
      (_, member, random) => {
        const all = random.next() < 0.6;
        for (const ref of refs) {
          if (!all) member.server.admin.delete(ServiceExport, ref);
          else if (namespaceIsThere(member, ref.namespace)) exportService(member, ref);
        }
        return all ? 'export' : 'withdraw';
      },
    ],
    [
      2,
      'delete service',
      withRef((member, ref) => {
        member.server.admin.delete(Service, ref);
        return '';
      }),
    ],
    [
      mischief.headless === true ? 3 : 0,
      'make anew, the other type',
      withRef((member, ref) => {
        const { admin } = member.server;
        const before = admin.get(Service, ref);
        if (before === undefined) return undefined;
        admin.delete(Service, ref);
        const headless = before.spec?.clusterIP !== 'None';
        const { selector, ports } = before.spec ?? {};
        admin.put(Service, { metadata: { ...ref }, spec: { selector, ports, ...(headless && { clusterIP: 'None' }) } });
        return headless ? 'headless' : 'with an address';
      }),
    ],
    [
      mischief.namespaces === true ? 2 : 0,
      'delete namespace',
      (_, member, random) => {
        const { namespace } = pick(random, refs);
        if (!namespaceIsThere(member, namespace)) return undefined;
        member.server.admin.delete(Namespace, { name: namespace });
        return namespace;
      },
    ],
    [
      4,
      'make namespace',
      (_, member, random) => {
        const { namespace } = pick(random, refs);
        if (member.server.admin.get(Namespace, { name: namespace }) !== undefined) return undefined;
        member.server.admin.put(Namespace, { metadata: { name: namespace } });
        return namespace;
      },
    ],
    [
      mischief.membership === true ? 2 : 0,
      'leave',
      (_, member) => {
        if (member.server.admin.get(ClusterSet, clusterSetRef) === undefined) return undefined;
        member.server.admin.delete(ClusterSet, clusterSetRef);
        return '';
      },
    ],
    [
      mischief.membership === true ? 4 : 0,
      'join',
      (fleet, member, random) => {
        if (member.server.admin.get(ClusterSet, clusterSetRef) !== undefined) return undefined;
        const id = random.next() < 0.7 ? member.name : `${member.name}2`;
        joinAs(fleet, member, id);
        return id;
      },
    ],
    [
      1,
      'rotate token',
      (fleet, member, random) => {
        const token = `token-${member.name}-${Math.floor(random.next() * 1e9)}`;
        const before = member.server.admin.get(Secret, leaderSecret)?.data?.['token'];
        if (before !== undefined && random.next() < 0.5) fleet.revoke(Buffer.from(before, 'base64').toString());
        member.server.admin.put(Secret, {
          metadata: { ...leaderSecret },
          data: { 'ca.crt': btoa('a certificate'), token: btoa(token) },
        });
        return token;
      },
    ],
    [
      mischief.membership === true ? 1 : 0,
      'delete and make the Secret',
      (_, member, random) => {
        const found = member.server.admin.get(Secret, leaderSecret);
        if (found === undefined) {
          const token = `token-${member.name}-${Math.floor(random.next() * 1e9)}`;
          member.server.admin.put(Secret, {
            metadata: { ...leaderSecret },
            data: { 'ca.crt': btoa('a certificate'), token: btoa(token) },
          });
          return 'made';
        }
        member.server.admin.delete(Secret, leaderSecret);
        return 'deleted';
      },
    ],
    [
      mischief.membership === true ? 1 : 0,
      'leader ClusterSet deleted and made',
      (fleet) => {
        const { admin } = fleet.leader.server;
        const ref = { namespace: leaderNamespace, name: clusterSetName };
        const found = admin.get(ClusterSet, ref);
        if (found !== undefined) admin.delete(ClusterSet, ref);
        else putLeaderClusterSet(fleet);
        return found === undefined ? 'made' : 'deleted';
      },
    ],
    [
      mischief.drift === true ? 4 : 0,
      'on the leader, by hand,',
      (fleet, _, random) => {
        const { admin } = fleet.leader.server;
        const type: ResourceType = pick(random, [ResourceImport, ResourceExport]);
        const [found] = admin.list<KubernetesObject>(type).filter(() => random.next() < 0.4);
        if (found === undefined) return undefined;
        const how = pick(random, ['delete', 'remove', 'labels', 'spec'] as const);
        if (how === 'delete') admin.delete(type, found.metadata);
        if (how === 'remove') admin.remove(type, found.metadata);
        if (how === 'labels') admin.patch(type, found.metadata, { metadata: { labels: null } });
        if (how === 'spec')
          admin.patch(type, found.metadata, { spec: { endpoints: null, endpointSlices: null, service: null } });
        return `${how} ${type.kind} ${found.metadata.name}`;
      },
    ],
    [
      mischief.drift === true ? 4 : 0,
      'in the cluster, by hand,',
      (_, member, random) => {
        const { admin } = member.server;
        const type: ResourceType = pick(random, [ServiceImport, Service, EndpointSlice]);
        const isSlice = type.kind === EndpointSlice.kind;
        const [found] = admin
          .list<KubernetesObject>(type, 'shop')
          .filter(
            ({ metadata }) => metadata.labels?.['app.kubernetes.io/managed-by'] === 'isthmus' && random.next() < 0.5,
          );
        if (found === undefined) return undefined;
        const how = pick(random, ['delete', 'labels', 'content'] as const);
        if (how === 'delete') admin.delete(type, found.metadata);
        if (how === 'labels' && !isSlice)
          admin.patch(type, found.metadata, { metadata: { labels: { 'app.kubernetes.io/managed-by': null } } });
        if (how === 'content')
          admin.patch(
            type,
            found.metadata,
            isSlice ? { endpoints: [] } : { spec: { ports: [{ name: 'x', port: 7 }] } },
          );
        return `${how} ${type.kind} ${found.metadata.name}`;
      },
    ],
    [
      mischief.membership === true ? 1 : 0,
      'announcement deleted',
      (fleet, member) => {
        const name = `member-announce-from-${member.name}`;
        if (fleet.leader.server.admin.get(MemberClusterAnnounce, { namespace: leaderNamespace, name }) === undefined)
          return undefined;
        fleet.leader.server.admin.delete(MemberClusterAnnounce, { namespace: leaderNamespace, name });
        return name;
      },
    ],
  ];
}

export function putLeaderClusterSet(fleet: VirtualFleet): void {
  const { name, server } = fleet.leader;
  server.admin.put(ClusterSet, {
    metadata: { namespace: leaderNamespace, name: clusterSetName },
    spec: { clusterID: name, leaders: [{ clusterID: name }], namespace: leaderNamespace },
  });
}

/** Joins the ClusterSet of the fleet under the ID. */
function joinAs(fleet: VirtualFleet, member: VirtualCluster, clusterID: string): void {
  const leader = fleet.leader.name;
  member.server.admin.put(ClusterSet, {
    metadata: { ...clusterSetRef },
    spec: {
      clusterID,
      leaders: [{ clusterID: leader, server: `https://${leader}.test:6443`, secret: leaderSecret.name }],
      namespace: leaderNamespace,
    },
  });
}

/** One random action of a user. Returns a description of it. */
export function userAct(
  fleet: VirtualFleet,
  members: readonly string[],
  random: Random,
  mischief: Mischief,
): string | undefined {
  const actions = actionsOf(mischief);
  let at = random.next() * actions.reduce((sum, [weight]) => sum + weight, 0);
  const chosen = actions.find(([weight]) => (at -= weight) < 0);
  if (chosen === undefined) return undefined;
  const member = fleet.cluster(pick(random, members));
  const what = chosen[2](fleet, member, random);
  return what === undefined ? undefined : `${member.name}: ${chosen[1]} ${what}`;
}
