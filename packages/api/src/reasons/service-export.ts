import { reportedConflictReasons } from './conflicts.ts';
import { defineStatus } from './define-status.ts';
import { statusRejectedReason } from './status-rejected.ts';

/** The reports of a member on each ServiceExport (MCS API). */
export const serviceExportStatus = defineStatus({
  kind: 'ServiceExport',
  title: 'ServiceExport',
  writer: 'member',
  conditions: {
    Valid: { meaning: 'Whether the Service exists and can be exported.', wanted: 'True' },
    Ready: { meaning: 'Whether the leader has accepted the export.', wanted: 'True' },
    Conflict: {
      meaning: 'Whether the exports of this Service from several clusters conflict.',
      wanted: 'False',
      joined: ['True'],
      mirrors: 'the leader',
    },
    ImportFailed: {
      meaning: 'Present while another cluster, or this one, reports that it cannot import the Service.',
      wanted: 'absent',
      mirrors: 'the leader',
    },
  },
  reasons: {
    Valid: { on: ['Valid=True'], severity: 'ok', meaning: 'The Service can be exported.' },
    NoService: {
      on: ['Valid=False', 'Event'],
      severity: 'error',
      meaning: 'The Service with the name and Namespace of the ServiceExport does not exist, or is being deleted.',
      cure: 'Create the Service, or delete the ServiceExport.',
    },
    InvalidServiceType: {
      on: ['Valid=False', 'Event'],
      severity: 'error',
      meaning: 'The Service is of type ExternalName: it does not have endpoints that other clusters could reach.',
      cure: 'Give the Service another type, or delete the ServiceExport.',
    },
    NotExportable: {
      on: ['Valid=False', 'Event'],
      severity: 'error',
      meaning:
        'The Service is `default/kubernetes` or `kube-system/kube-dns`. Every cluster has its own, so they are neither exported nor imported.',
      cure: 'Delete the ServiceExport.',
    },
    /** Antrea's word; the MCS API has none. */
    ImportedService: {
      on: ['Valid=False', 'Event'],
      severity: 'error',
      meaning: 'The Service was itself imported from the ClusterSet. Only the clusters that own it can export it.',
      cure: 'Delete the ServiceExport. If the Service belongs to this cluster, remove its annotation `multicluster.antrea.io/imported-service` instead.',
    },
    Exported: {
      on: ['Ready=True'],
      severity: 'ok',
      meaning:
        'The leader has merged the export. The message reports whether an endpoint is ready and serves a port of the Service, and which parts and EndpointSlices are left out.',
    },
    Pending: {
      on: ['Ready=False'],
      severity: 'wait',
      meaning:
        'The export is in progress: the leader has not answered yet, the Service has no ClusterIP yet, or this cluster is not connected to a leader.',
      cure: 'Wait a few seconds. If the reason does not change, read the message: it names what is missing. Also check the conditions of the ClusterSet: they report whether the leader is reachable.',
    },
    Disconnected: {
      on: ['Ready=Unknown'],
      severity: 'error',
      meaning:
        "The leader accepted the export, but its API server has not answered this cluster's heartbeats for 30 seconds, or this cluster cannot send any because its ClusterSet or the Secret with its token is incomplete. Importing clusters keep the Service; later changes are not exported yet. The leader removes the export after 24 hours without a heartbeat.",
      cure: 'Check the conditions of the ClusterSet in this cluster: they name the cause. When the leader answers, the export becomes Ready again; if the leader removed it, it is created again.',
    },
    Failed: {
      on: ['Ready=False', 'Event'],
      severity: 'error',
      meaning:
        'The Service is not exported: the ServiceExport is not valid, its name on the leader is too long or taken, or the leader or its API server rejects the export or a change to it.',
      cure: 'Read the message: it names the cause and the object to correct, most often the name of the Service.',
    },
    NoConflicts: {
      on: ['Conflict=False'],
      severity: 'ok',
      meaning: 'All exporting clusters agree on the Service.',
    },
    ...reportedConflictReasons,
    ...statusRejectedReason,
    WithdrawalRejected: {
      on: ['Event on the ClusterSet'],
      severity: 'error',
      meaning:
        'The ServiceExport was deleted, but the API server of the leader rejects the withdrawal of the export, so other clusters still import the Service.',
      cure: 'Read the message: it contains the answer of the API server. Correct the admission policy or the role on the leader. The withdrawal is tried again at most 30 seconds later.',
    },
    NotImported: {
      on: ['ImportFailed=True'],
      severity: 'warning',
      meaning:
        'Clusters report that they cannot import the Service: its Namespace does not exist there, a name is taken, or their API server rejects the import. The message names each cluster and the cause. Members that run Antrea or Isthmus 0.1.0 do not report this.',
      cure: 'Correct the cause in the importing cluster. If a cluster does not need the Service, there is nothing to do.',
    },
  },
});
