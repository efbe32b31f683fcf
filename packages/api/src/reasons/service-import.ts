import { defineStatus } from './define-status.ts';

/** What a member reports on each ServiceImport; where there is no ServiceImport to report it on, on its ClusterSet. */
export const serviceImportStatus = defineStatus({
  kind: 'ServiceImport',
  title: 'ServiceImport',
  writer: 'member',
  conditions: {
    Ready: { meaning: 'Whether the imported Service works in this cluster.', wanted: 'True' },
  },
  reasons: {
    Ready: { on: ['Ready=True'], severity: 'ok', meaning: 'The Service is imported and can be called.' },
    PartlyImported: {
      on: ['Event', 'Event on the ClusterSet'],
      severity: 'warning',
      meaning:
        'The Service is imported without something that cannot be used here, such as a port or an endpoint that is not valid. The message names it; the condition Ready repeats it.',
      cure: 'Correct the Service or its endpoints in the exporting cluster.',
    },
    NamespaceMissing: {
      on: ['Event', 'Event on the ClusterSet'],
      severity: 'warning',
      meaning: 'The Namespace of the exported Service does not exist in this cluster, so nothing is imported.',
      cure: 'Create the Namespace to import the Service. If the Service is not wanted here, there is nothing to do.',
    },
    NameTooLong: {
      on: ['Ready=False', 'Event', 'Event on the ClusterSet'],
      severity: 'error',
      meaning:
        'The imported Service would be called `antrea-mc-<name>`, which is longer than the name of a Service can be.',
      cure: 'Rename the Service in the exporting clusters to at most 53 characters.',
    },
    ServiceNameTaken: {
      on: ['Ready=False', 'Event', 'Event on the ClusterSet'],
      severity: 'error',
      meaning: 'A Service `antrea-mc-<name>` exists in this cluster and was not imported. It is left alone.',
      cure: 'Delete or rename that Service.',
    },
    ForeignServiceImport: {
      on: ['Event'],
      severity: 'error',
      meaning: 'A ServiceImport of that name exists and was not made by Isthmus. It is left alone.',
      cure: 'Delete the ServiceImport to import the Service of that name from the ClusterSet.',
    },
    InvalidResourceImport: {
      on: ['Ready=False', 'Event', 'Event on the ClusterSet'],
      severity: 'error',
      meaning: "The leader's ResourceImport of the Service is not valid. What was imported before stays as it is.",
      cure: 'Ask the administrator of the leader cluster to look at the ResourceImport that the message names.',
    },
  },
});
