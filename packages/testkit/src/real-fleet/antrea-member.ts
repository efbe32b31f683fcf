import { MemberClusterAnnounce, ResourceExport, SecretKey } from '@isthmus/api';
import type { Client } from '@isthmus/kube';
import { isConflict, systemClock } from '@isthmus/kube';
import { rfc3339 } from '@isthmus/machinery';
import type { PeerService } from '@isthmus/fleet-sim';
import { tokenClient } from './controllers.ts';
import { issueMemberCredential } from './credentials.ts';
import type { RealCluster } from './real-cluster.ts';

/** Where an Antrea member joins. */
export interface AntreaMemberSpec {
  readonly clusterID: string;
  /** The leader's Namespace. */
  readonly namespace: string;
  readonly clusterSetID: string;
  readonly leaderClusterID: string;
}

/**
 * Writes to a leader like an Antrea 2.7 member (docs/spec/membership.md §6, docs/spec/wire.md §7):
 * the same requests, with the rights of a member token, and nothing that Antrea does not know.
 */
export interface AntreaMember extends Disposable {
  /** A client with the rights of the member's token. */
  readonly client: Client;
  /** Sends one heartbeat: creates the announcement, or replaces it with a new time. */
  beat(): Promise<void>;
  leave(): Promise<void>;
  /**
   * Writes both exports of a Service, or replaces them. `finalizer`: by default that of Antrea from
   * 2.1.1 on; an argument replaces it with that of an earlier version.
   */
  export(service: PeerService, finalizer?: string): Promise<void>;
  unexport(service: Pick<PeerService, 'namespace' | 'name'>): Promise<void>;
}

export async function createAntreaMember(leader: RealCluster, spec: AntreaMemberSpec): Promise<AntreaMember> {
  const { clusterID, namespace, clusterSetID, leaderClusterID } = spec;
  const credential = await issueMemberCredential(leader.admin, namespace, clusterID);
  const token = Buffer.from(credential[SecretKey.token] ?? '', 'base64').toString('utf8');
  const clock = systemClock();
  const client = tokenClient({ url: leader.server.url, caData: leader.server.caData, token }, { clock });
  const announce = { namespace, name: `member-announce-from-${clusterID}` };
  return {
    client,
    async beat() {
      await untilNoConflict(async () => {
        const { items } = await client.list(MemberClusterAnnounce, { namespace });
        const found = items.find(({ metadata }) => metadata.name === announce.name);
        if (found === undefined) {
          const ids = { clusterID, clusterSetID, leaderClusterID };
          await client.create(MemberClusterAnnounce, { metadata: { ...announce }, ...ids });
          return;
        }
        const annotations = { ...found.metadata.annotations, 'touch-ts': rfc3339(clock.now()) };
        await client.update(MemberClusterAnnounce, { ...found, metadata: { ...found.metadata, annotations } });
      });
    },
    async leave() {
      await client.delete(MemberClusterAnnounce, announce);
    },
    async export(
      { namespace: sourceNamespace, name, ports, subsets },
      finalizer = 'resourceexport.antrea.io/finalizer',
    ) {
      const payloads = { Service: { service: { serviceSpec: { ports } } }, Endpoints: { endpoints: { subsets } } };
      for (const kind of ['Service', 'Endpoints'] as const) {
        const labels = { sourceName: name, sourceNamespace, sourceClusterID: clusterID, sourceKind: kind };
        const exportName = `${clusterID}-${sourceNamespace}-${name}-${kind.toLowerCase()}`;
        const wanted: ResourceExport = {
          metadata: { name: exportName, namespace, finalizers: [finalizer], labels },
          spec: { clusterID, name, namespace: sourceNamespace, kind, ...payloads[kind] },
        };
        await untilNoConflict(async () => {
          const found = await client.list(ResourceExport, { namespace, fieldSelector: `metadata.name=${exportName}` });
          const [current] = found.items;
          if (current === undefined) await client.create(ResourceExport, wanted);
          else await client.update(ResourceExport, { ...current, spec: wanted.spec });
        });
      }
    },
    async unexport({ namespace: sourceNamespace, name }) {
      for (const kind of ['service', 'endpoints']) {
        await client.delete(ResourceExport, { namespace, name: `${clusterID}-${sourceNamespace}-${name}-${kind}` });
      }
    },
    [Symbol.dispose]: () => client.close(),
  };
}

/** Antrea replaces whole objects, and tries again if the leader has written in between. */
async function untilNoConflict(write: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      return await write();
    } catch (error) {
      if (!isConflict(error)) throw error;
    }
  }
}
