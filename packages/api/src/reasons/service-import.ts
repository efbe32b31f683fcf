import { defineStatus } from './define-status.ts';

/** What a member reports on each ServiceImport; where there is no ServiceImport to report it on, on its ClusterSet. */
export const serviceImportStatus = defineStatus({
  kind: 'ServiceImport',
  title: 'ServiceImport',
  writer: 'member',
  conditions: {
    Ready: { meaning: 'Whether the imported Service can be used in this cluster.', wanted: 'True' },
  },
  reasons: {
    Ready: { on: ['Ready=True'], severity: 'ok', meaning: 'The Service is imported and can be used.' },
    PartlyImported: {
      on: ['Event', 'Event on the ClusterSet'],
      severity: 'warning',
      meaning:
        'The Service is imported without parts that cannot be used in this cluster, such as an invalid port or endpoint. The message and the condition Ready name them.',
      cure: 'Correct the Service or its endpoints in the exporting cluster.',
    },
    NamespaceMissing: {
      on: ['Event', 'Event on the ClusterSet'],
      severity: 'warning',
      meaning: 'The Namespace of the exported Service does not exist in this cluster, so nothing is imported.',
      cure: 'Create the Namespace to import the Service. If this cluster does not need the Service, there is nothing to do.',
    },
    NameTooLong: {
      on: ['Ready=False', 'Event', 'Event on the ClusterSet'],
      severity: 'error',
      meaning: 'The name of the imported Service, `antrea-mc-<name>`, would be longer than Kubernetes allows.',
      cure: 'Rename the Service in the exporting clusters to at most 53 characters.',
    },
    ServiceNameTaken: {
      on: ['Ready=False', 'Event', 'Event on the ClusterSet'],
      severity: 'error',
      meaning: 'A Service `antrea-mc-<name>` exists in this cluster and was not created by Isthmus. It is not changed.',
      cure: 'Delete or rename that Service.',
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
        'The API server of this cluster rejects a write of the import: the Service `antrea-mc-<name>`, one of its EndpointSlices, or the ServiceImport. What could be written is kept.',
      cure: 'Read the message: it contains the answer of the API server. Correct the admission policy or webhook, raise the quota, or restore the role with `kubectl apply -f deploy/member.yaml`. The write is tried again every 10 seconds.',
    },
    IPFamilyNotSupported: {
      on: ['Ready=False', 'Event', 'Event on the ClusterSet'],
      severity: 'error',
      meaning:
        'All endpoints of the Service have addresses of an IP family that Services of this cluster do not support.',
      cure: 'Export the Service with an IP family that this cluster has, or enable dual-stack networking in this cluster.',
    },
    InvalidResourceImport: {
      on: ['Ready=False', 'Event', 'Event on the ClusterSet'],
      severity: 'error',
      meaning: "The leader's ResourceImport of the Service is not valid. The existing import is kept unchanged.",
      cure: 'Ask the administrator of the leader cluster to look at the ResourceImport that the message names.',
    },
  },
});
