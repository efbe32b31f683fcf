import type { KnownCluster } from '@isthmus/api';
import { Annotation, Label, importedServiceName } from '@isthmus/api';
import type { Attack, Attacker, Family, Write } from './attack.ts';
import type { Exported } from './as-antrea.ts';
import { changeTo, exportService, sliceOf } from './as-antrea.ts';
import { third } from './facts.ts';
import { onClusterSet, onExport, onServiceImport, onVictim } from './reports.ts';

const denied = (namespace: string, entry: string, more: Omit<Attack, 'name' | 'course'> = {}): Attack => ({
  name: `exports a Service of Namespace ${namespace}`,
  ...more,
  course: (attacker) => ({
    writes: exportService(attacker, { namespace }),
    reports: (['exporter', 'leader'] as const).map((by) =>
      onExport(attacker, 'Failure', 'ConvergeFailure', `Namespace ${namespace}: ${entry} is denied`, { namespace, by }),
    ),
  }),
});

const everywhere = (namespace: string, name: string): Attack => ({
  name: `exports ${namespace}/${name}`,
  course: (attacker) => ({
    writes: exportService(attacker, { namespace, name }),
    reports: [onExport(attacker, 'Succeeded', undefined, 'No cluster imports it', { namespace, name })],
  }),
});

/** Namespaces and names that would be used without being asked for. */
export const namespaces: Family = {
  name: 'Namespaces',
  attacks: [
    denied('kube-public', 'kube-public'),
    denied('kube-node-lease', 'kube-node-lease'),
    denied('openshift-ingress', 'openshift*'),
    denied('kube-system', 'kube-*', { advisory: 'CVE-2026-66788', grant: { namespaces: { deny: ['kube-*'] } } }),
    denied('shop', 'shop', { grant: { namespaces: { deny: ['shop'] } } }),
    everywhere('default', 'kubernetes'),
    everywhere('kube-system', 'kube-dns'),
  ],
};

const quota = (
  name: string,
  quotas: NonNullable<KnownCluster['spec']['quotas']>,
  course: (attacker: Attacker) => ReturnType<Attack['course']>,
): Attack => ({ name, quotas, course });

const further = ({ service }: Attacker) => `${service}-further`;

/** More than the importer allows the cluster. */
export const quotas: Family = {
  name: 'quotas',
  attacks: [
    quota('exports more Services than its quota', { services: 1 }, (attacker) => ({
      writes: [...exportService(attacker), ...exportService(attacker, { name: further(attacker) })],
      reports: [
        onClusterSet('OverQuota', attacker.id),
        onExport(attacker, 'ImportFailed', 'NotImported', '(OverQuota)', { name: further(attacker) }),
      ],
    })),
    quota('exports more EndpointSlices than its quota', { endpointSlices: 1 }, (attacker) => ({
      writes: exportService(attacker, {
        slices: Array.from({ length: 5 }, (_, at) => ({
          ...sliceOf('IPv4', [attacker.pod]),
          ports: [{ name: 'http', protocol: 'TCP', port: 8_080 + at }],
        })),
      }),
      reports: [
        onServiceImport(attacker.service, 'quota'),
        onExport(attacker, 'ImportFailed', 'NotImported', '(OverQuota)'),
      ],
    })),
    quota('exports more endpoints than its quota', { endpoints: 3 }, (attacker) => ({
      writes: exportService(attacker, {
        addresses: Array.from({ length: 50 }, (_, at) => attacker.pods.replace('.0/24', `.${at + 1}`)),
      }),
      reports: [
        onServiceImport(attacker.service, 'quota'),
        onExport(attacker, 'ImportFailed', 'NotImported', '(OverQuota)'),
      ],
    })),
  ],
};

/** A Service that the third cluster exports, too. */
const conflict = (
  name: string,
  reason: string,
  exported: Omit<Exported, 'name'>,
  victim: Attack['victim'] = {},
): Attack => ({
  name: `exports a Service of another cluster ${name}`,
  victim,
  course: (attacker) => ({
    writes: exportService(attacker, { ...exported, name: attacker.victim }),
    reports: [
      onExport(attacker, 'Conflict', reason, attacker.id, { name: attacker.victim }),
      onVictim(attacker, 'Conflict', reason, attacker.id),
    ],
  }),
});

const http = { name: 'http', protocol: 'TCP', port: 80 };

/** Names that an import would have, and that the importer uses itself. */
const takesName: Attack = {
  name: 'exports a Service whose import has the name of a Service of the importer',
  isNameTaken: true,
  course: (attacker) => ({
    writes: exportService(attacker),
    reports: [
      onServiceImport(attacker.service, importedServiceName(attacker.service), 'ServiceNameTaken'),
      onExport(attacker, 'ImportFailed', 'NotImported', '(ServiceNameTaken)'),
    ],
  }),
};

const flaps: Attack = {
  name: 'changes its endpoints as fast as it can',
  course: (attacker) => {
    const [service, slices] = exportService(attacker);
    const changes = Array.from({ length: 40 }, (_, at): Write => {
      const [, changed] = exportService(attacker, { addresses: [attacker.pods.replace('.0/24', `.${at + 10}`)] });
      return changeTo(changed);
    });
    return {
      writes: [service, slices, ...changes],
      reports: [],
      unnamed: 'further changes are written at growing intervals',
    };
  },
};

/** Fields of Services, with which an attacker may not change a Service of another cluster. */
export const conflicts: Family = {
  name: 'conflicts',
  attacks: [
    takesName,
    flaps,
    conflict('with another number of its port', 'PortConflict', { service: { ports: [{ ...http, port: 6_666 }] } }),
    conflict('with another name of its port', 'PortConflict', {
      service: { ports: [{ ...http, name: 'evil' }] },
      target: 'evil',
    }),
    conflict('with another protocol of its port', 'PortConflict', {
      service: { ports: [{ ...http, protocol: 'UDP' }] },
    }),
    conflict('without a ClusterIP', 'TypeConflict', { service: { clusterIP: 'None' } }),
    conflict('with session affinity', 'SessionAffinityConflict', { service: { sessionAffinity: 'ClientIP' } }),
    conflict(
      'with another time of session affinity',
      'SessionAffinityConfigConflict',
      { service: { sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: { timeoutSeconds: 1 } } } },
      { sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: { timeoutSeconds: 600 } } },
    ),
    conflict('that stays on the Node', 'InternalTrafficPolicyConflict', {
      service: { internalTrafficPolicy: 'Local' },
    }),
    conflict('with another distribution', 'TrafficDistributionConflict', {
      service: { trafficDistribution: 'PreferClose' },
    }),
    conflict('of another family', 'IPFamilyConflict', { service: { ipFamilies: ['IPv6'] } }),
    conflict('as older than it is', 'PortConflict', {
      service: { ports: [{ ...http, port: 6_667 }] },
      annotations: { [Annotation.firstExported]: '1970-01-01T00:00:00Z' },
    }),
    conflict('with labels of its own', 'LabelsConflict', {
      annotations: { [Annotation.exportedMetadata]: JSON.stringify({ labels: { team: 'evil' } }) },
    }),
    conflict('with annotations of its own', 'AnnotationsConflict', {
      annotations: { [Annotation.exportedMetadata]: JSON.stringify({ annotations: { note: 'evil' } }) },
    }),
    {
      name: 'exports a Service with labels of other controllers',
      course: (attacker) => ({
        writes: exportService(attacker, {
          annotations: {
            [Annotation.exportedMetadata]: JSON.stringify({
              labels: { [Label.serviceName]: 'kubernetes', [Label.serviceProxyName]: 'none' },
            }),
          },
        }),
        reports: [onExport(attacker, 'Succeeded', undefined, 'is reserved; left out')],
      }),
    },
    {
      name: 'exports a Service with addresses of others in its fields',
      course: (attacker) => ({
        writes: exportService(attacker, {
          service: {
            clusterIP: '10.97.0.1',
            clusterIPs: ['10.97.0.1'],
            externalIPs: ['8.8.8.8'],
            loadBalancerIP: '8.8.8.8',
            externalName: 'kubernetes.default.svc',
            selector: { app: 'own' },
            publishNotReadyAddresses: true,
            type: 'LoadBalancer',
          },
        }),
        reports: [],
        unnamed: 'no cluster reads these fields',
      }),
    },
    {
      name: 'forges annotations of the leader on its exports',
      course: (attacker) => ({
        writes: exportService(attacker, {
          annotations: {
            [Annotation.importProblems]: 'x',
            [Annotation.heldFor]: '99999',
            [Annotation.sourceWithdrawals]: third.id,
            [Annotation.importedService]: 'true',
          },
        }),
        reports: [],
        unnamed: 'no cluster reads them on an export',
      }),
    },
  ],
};
