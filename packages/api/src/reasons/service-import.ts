import { beingDeletedReason } from './being-deleted.ts';
import { defineStatus } from './define-status.ts';

/**
 * The reports of a member on each ServiceImport, or on its ClusterSet if the ServiceImport does not
 * exist.
 */
export const serviceImportStatus = defineStatus({
  kind: 'ServiceImport',
  title: 'ServiceImport',
  writer: 'member',
  conditions: {
    Ready: {
      meaning:
        'Whether all objects of the import exist in this cluster as intended, and calls to its endpoints can arrive, as far as this cluster knows.',
      wanted: 'True',
    },
  },
  reasons: {
    Ready: {
      on: ['Ready=True'],
      severity: 'ok',
      meaning:
        'All objects of the import exist as intended, it has an endpoint that is ready, and nothing is known that keeps calls from arriving. Where agents run, they probe the gateways of other clusters; without agents, the network between the clusters is not tested.',
    },
    NoReadyEndpoints: {
      on: ['Ready=False'],
      severity: 'warning',
      meaning: 'The Service is imported, and none of its endpoints has been ready for ten seconds, so calls fail.',
      cure: 'In the exporting clusters, check the Pods of the Service: `kubectl describe serviceexport <name>` has the number of endpoints that are ready.',
    },
    NoDataPlane: {
      on: ['Ready=False'],
      severity: 'error',
      meaning:
        'Endpoints in other clusters are ClusterIPs, which only gateways make reachable, and this cluster has none.',
      cure: 'Follow the condition NoDataPlane of the ClusterSet: mark a Node as gateway, or set `endpointIPType: PodIP` in all clusters if their Pod IPs are routable.',
    },
    NetworkConflict: {
      on: ['Ready=False'],
      severity: 'error',
      meaning:
        'Endpoints are in ranges of their cluster that are not used, or other clusters use no Pod CIDR of this one, because of a conflict.',
      cure: 'Read the condition NetworkConflict of the object that the message names: a ClusterInfoImport, or the ClusterSet.',
    },
    ClusterNotReached: {
      on: ['Ready=False'],
      severity: 'error',
      meaning:
        'No gateway of a cluster with endpoints of the Service has answered for ten seconds, or that cluster announces no network, so calls to these endpoints fail.',
      cure: 'Read the condition Reachable of the ClusterInfoImport that the message names.',
    },
    PacketsTooLarge: {
      on: ['Ready=False'],
      severity: 'error',
      meaning:
        'Large packets to a cluster with endpoints of the Service are lost, so calls with more data than a small packet hang.',
      cure: 'Read the condition Reachable of the ClusterInfoImport that the message names: it has the size that arrives.',
    },
    ReachUnknown: {
      on: ['Ready=Unknown'],
      severity: 'warning',
      meaning:
        'The agents on the gateways of this cluster do not report whether gateways of a cluster with endpoints of the Service answer.',
      cure: 'Read the condition Reachable of the ClusterInfoImport that the message names.',
    },
    NotConnected: {
      on: ['Ready=Unknown'],
      severity: 'warning',
      meaning:
        'This cluster has not been connected to the leader for half a minute, or the controller of the leader does not answer or does not serve it. The import is kept, and does not follow changes of its exporters.',
      cure: 'Read the condition Ready of the ClusterSet of this cluster: it has the reason and the next step.',
    },
    ControllerSilent: {
      on: ['Ready=Unknown'],
      severity: 'warning',
      meaning:
        'The leader has had no heartbeat for half a minute from the controller of a cluster with endpoints of the Service, so these endpoints may be out of date.',
      cure: 'Check in the cluster that the message names that the controller runs and reaches the leader: `kubectl get pods -A -l component=antrea-mc-controller`.',
    },
    PartlyImported: {
      on: ['Event', 'Event on the ClusterSet'],
      severity: 'warning',
      meaning:
        'The Service is imported, except for parts that cannot be used in this cluster, such as an invalid port or endpoint. The message and the condition Ready name them.',
      cure: 'Correct the Service or its endpoints in the exporting cluster. If a mutating admission policy or webhook of this cluster changes imported Services, exclude those with the label `app.kubernetes.io/managed-by=isthmus` from it.',
    },
    OutsideGrant: {
      on: ['Event', 'Event on the ClusterSet'],
      severity: 'warning',
      meaning:
        'Another cluster exports endpoints that it may not have here. An endpoint is never an address of a Node, a Pod, a Service or the API server of this cluster, and is in the accepted Pod and Service CIDRs of its cluster, if that announces Pod CIDRs of its family. The endpoints are left out. Those that were in use, and only lie outside of these ranges, stay until they change. The message and the condition Ready name them.',
      cure: 'Correct the endpoints or the `podCIDRs` in the configuration of the exporting cluster. To accept other ranges, such as those of Nodes whose network its Pods use, name them in the KnownCluster of that cluster, in the Namespace of the controller of this cluster.',
    },
    NamespaceDenied: {
      on: ['Event', 'Event on the ClusterSet'],
      severity: 'warning',
      meaning:
        'Another cluster exports a Service of a Namespace of which it may export nothing to this cluster. By default these are kube-public, kube-node-lease and openshift* (not openshift-storage); with `hardened` in the configuration also kube-* and the Namespaces of controllers. Nothing of that cluster is imported into the Namespace. What was imported before stays.',
      cure: 'To import it, write a KnownCluster with `spec.namespaces.allow` for that cluster, in the Namespace of the controller of this cluster. Otherwise withdraw the export.',
    },
    OverQuota: {
      on: ['Event', 'Event on the ClusterSet'],
      severity: 'warning',
      meaning:
        'Another cluster exports more than it may have in this cluster: more Services, EndpointSlices or endpoints than its quota, or more Services than a quarter of the ClusterIPs that are left for them (all clusters together: a half). Further Services are not imported, and further endpoints are left out. What was imported before stays.',
      cure: 'To import more, raise `spec.quotas` of the KnownCluster of that cluster, in the Namespace of the controller of this cluster; the kind lists the defaults. Otherwise withdraw exports.',
    },
    NamespaceMissing: {
      on: ['Event', 'Event on the ClusterSet'],
      severity: 'warning',
      meaning:
        'The Namespace of the exported Service does not exist in this cluster, or is being deleted, so nothing is imported.',
      cure: 'Create the Namespace to import the Service. If it stays Terminating, its conditions report what is left: `kubectl describe namespace <name>`. If this cluster does not need the Service, there is nothing to do.',
    },
    NameTooLong: {
      on: ['Ready=False', 'Event', 'Event on the ClusterSet'],
      severity: 'error',
      meaning: 'The name of the imported Service, `antrea-mc-<name>`, would be longer than Kubernetes allows.',
      cure: 'In the exporting clusters, create the Service under a name of at most 53 characters, and export that one.',
    },
    ServiceNameTaken: {
      on: ['Ready=False', 'Event', 'Event on the ClusterSet'],
      severity: 'error',
      meaning:
        'The imported Service would be `antrea-mc-<name>`, and another Service of this cluster has that name. It was not created by Isthmus, so it is not changed. The message names the Service and, if it has a label `app.kubernetes.io/managed-by` or an owner, the manager of the Service.',
      cure: 'Create that Service under another name and delete this one, or export the Service of the ClusterSet under another name. The import follows at once.',
    },
    ForeignServiceImport: {
      on: ['Event'],
      severity: 'error',
      meaning: 'A ServiceImport of that name exists and was not created by Isthmus. It is not changed.',
      cure: 'Delete the ServiceImport to import the Service of that name from the ClusterSet.',
    },
    WriteRejected: {
      on: ['Ready=False', 'Event', 'Event on the ClusterSet'],
      severity: 'error',
      meaning:
        'The API server of this cluster rejects a write to an object of the import: the Service `antrea-mc-<name>`, one of its EndpointSlices, or the ServiceImport. The objects that it accepted are kept. If the Service was withdrawn, what is left of its import stays until the deletion is accepted.',
      cure: 'Read the message: it contains the answer of the API server. Correct the admission policy or webhook, raise the quota, or restore the role with `kubectl apply -f deploy/member.yaml`, with the settings that you changed in it, or with `helm upgrade`. The write is tried again every 10 seconds.',
    },
    NodeLocalTraffic: {
      on: ['Ready=False'],
      severity: 'error',
      meaning:
        'The exported Service has `internalTrafficPolicy: Local`, so that each Node uses only endpoints on itself, and this cluster exports no ready Pod of it. No call from this cluster can succeed.',
      cure: 'For calls between clusters, set `internalTrafficPolicy: Cluster` in every exporting cluster. For calls within each Node, run Pods of the Service in this cluster and export them.',
    },
    BeingDeleted: {
      ...beingDeletedReason,
      on: ['Ready=False', 'Event', 'Event on the ClusterSet'],
    },
    IPFamilyNotSupported: {
      on: ['Ready=False', 'Event', 'Event on the ClusterSet'],
      severity: 'error',
      meaning:
        'All endpoints of the Service have addresses of an IP family that this cluster does not support for Services.',
      cure: 'Export the Service with an IP family that this cluster supports, or enable dual-stack networking in this cluster.',
    },
    InvalidResourceImport: {
      on: ['Ready=False', 'Event', 'Event on the ClusterSet'],
      severity: 'error',
      meaning: "The leader's ResourceImport of the Service is not valid. The existing import is kept unchanged.",
      cure: 'Ask the administrator of the leader cluster to check the ResourceImport that the message names.',
    },
  },
});
