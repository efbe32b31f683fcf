import {
  Annotation,
  Label,
  MemberClusterAnnounce,
  ResourceExport,
  labelIdentityExportName,
  labelIdentityHash,
  memberAnnounceName,
} from '@isthmus/api';
import { encodeImportProblems } from '@isthmus/wire';
import type { Attack, Attacker, Family, Write } from './attack.ts';
import { exportService, sliceOf } from './as-antrea.ts';
import { openServices } from './endpoints.ts';
import { leader, shop, third } from './facts.ts';
import { onExport, onLabels, onServiceImport, onVictim } from './reports.ts';

const heartbeat = '2026-11-30T10:00:00Z';

/** A heartbeat as a member of Isthmus sends it, with what differs. */
function announceWith({ id }: Attacker, annotations: Readonly<Record<string, string>>): Write {
  const usual = { [Annotation.touchTs]: heartbeat, [Annotation.marksAt]: heartbeat };
  return {
    verb: 'patch',
    type: MemberClusterAnnounce,
    ref: { namespace: leader.namespace, name: memberAnnounceName(id) },
    body: { metadata: { annotations: { ...usual, ...annotations } } },
  };
}

const announces = (name: string, unnamed: string, annotations: Readonly<Record<string, string>>): Attack => ({
  name: `announces ${name}`,
  course: (attacker) => ({ writes: [announceWith(attacker, annotations)], reports: [], unnamed }),
});

function labelsOf(
  { id }: Attacker,
  label: string,
  changed: { hash?: string; annotations?: Record<string, string> } = {},
): Write {
  const { hash = labelIdentityHash(label), annotations } = changed;
  return {
    verb: 'create',
    type: ResourceExport,
    object: {
      metadata: {
        name: labelIdentityExportName(id, hash),
        namespace: leader.namespace,
        annotations,
        labels: { [Label.sourceClusterID]: id, [Label.sourceKind]: 'LabelIdentity' },
      },
      spec: { clusterID: id, kind: 'LabelIdentity', labelIdentity: { normalizedLabel: label } },
    } as ResourceExport,
  };
}

const usualLabel = ({ id }: Attacker) => `ns:kubernetes.io/metadata.name=${shop}&pod:app=${id}`;
const otherHash = 'f'.repeat(16);

/**
 * As the exporter of 0.1.0, whose imports do not show who wrote them; and endpoints of others in
 * the form of Antrea alone.
 */
const inOldForm = (name: string, addresses: (attacker: Attacker) => readonly string[]): Attack => ({
  name: `exports ${name} in the form of Antrea, after it has announced an old wire`,
  grant: openServices,
  course: (attacker) => ({
    writes: [
      announceWith(attacker, { [Annotation.wire]: `1 ${heartbeat}` }),
      ...exportService(attacker, { addresses: addresses(attacker), slices: [sliceOf('IPv4', [attacker.pod])] }),
    ],
    reports: [onExport(attacker, 'Succeeded', undefined, 'are not the same endpoints', { kind: 'Endpoints' })],
  }),
});

/** What a member says about itself, and labels of Pods. */
export const announcements: Family = {
  name: 'announcements and labels',
  attacks: [
    {
      name: 'reports a Service of another cluster as not imported',
      victim: {},
      course: (attacker) => {
        const problem = {
          reason: 'WriteRejected',
          namespace: shop,
          name: attacker.victim,
          message: 'delete everything',
        };
        return {
          writes: [announceWith(attacker, { [Annotation.importProblems]: encodeImportProblems([problem]) })],
          reports: [onVictim(attacker, 'ImportFailed', 'NotImported', `in ${attacker.id} (WriteRejected)`)],
        };
      },
    },
    announces('that another cluster has left', 'a member reads it on its own announcement only', {
      [Annotation.left]: JSON.stringify({ [third.id]: heartbeat }),
    }),
    announces('that it restores exports', 'it concerns its own exports', { [Annotation.restoring]: heartbeat }),
    announces('a wire that does not exist', 'it is read as the latest one that is known', {
      [Annotation.wire]: '999999',
    }),
    inOldForm('addresses of others', ({ pod }) => [pod, '8.8.8.8', third.pod]),
    inOldForm('only addresses of others', () => ['8.8.8.8', third.pod]),
    {
      name: 'exports addresses of others beside one of IPv6, after it has announced an old wire',
      grant: openServices,
      course: (attacker) => ({
        writes: [
          announceWith(attacker, { [Annotation.wire]: `1 ${heartbeat}` }),
          ...exportService(attacker, { addresses: [attacker.pod, '8.8.8.8', '2001:db8:66::1'] }),
        ],
        reports: [
          onServiceImport(attacker.service, '8.8.8.8'),
          onExport(attacker, 'ImportFailed', 'NotImported', '8.8.8.8'),
        ],
      }),
    },
    {
      name: 'exports labels under the hash of others',
      course: (attacker) => ({
        writes: [labelsOf(attacker, usualLabel(attacker), { hash: otherHash })],
        reports: [onLabels(attacker, otherHash, 'ConvergeFailure', `is not ${otherHash}`)],
      }),
    },
    {
      name: 'exports labels at which controllers of Antrea end',
      course: (attacker) => {
        const label = `pods of ${attacker.id}`;
        return {
          writes: [labelsOf(attacker, label)],
          reports: [onLabels(attacker, labelIdentityHash(label), 'ConvergeFailure', 'is not of the form')],
        };
      },
    },
    {
      name: 'claims the numbers of labels of other clusters',
      course: (attacker) => ({
        writes: ['1', '2', '3'].map((number) =>
          labelsOf(attacker, `${usualLabel(attacker)},number=${number}`, {
            annotations: { [Annotation.labelNumber]: number },
          }),
        ),
        reports: [],
        unnamed: 'a number that is in use is not given again',
      }),
    },
  ],
};
