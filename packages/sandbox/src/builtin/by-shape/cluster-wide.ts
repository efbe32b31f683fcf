import type { Stored } from '../../store/stored.ts';
import { none } from '../columns/cell-texts.ts';
import { ageColumn, defineColumns, nameColumn } from '../columns/define-columns.ts';
import { pathSegmentName } from '../define.ts';
import { when } from '../field-checks.ts';
import { forbidden } from '../field-rules.ts';
import { humanDuration } from '../name-and-age.ts';
import { orderedBy } from '../pods/in-type-order.ts';
import { selectableFields } from '../selectable-fields.ts';
import { builtInType } from '../types/load.ts';
import { defineShaped } from './define-shaped.ts';

export const priorityClass = defineShaped({
  group: 'scheduling.k8s.io',
  kind: 'PriorityClass',
  plural: 'priorityclasses',
  namespaced: false,
  shortNames: ['pc'],
  hasStatus: false,
  fixed: ['preemptionPolicy'],
  errors: (object, before) =>
    when(
      before !== undefined && object['value'] !== before['value'],
      forbidden('value', 'may not be changed in an update.'),
    ),
  strategy: {
    prepareForCreate: (object) => ({ ...object, metadata: { ...object.metadata, generation: 1 } }),
  },
  defaults: { preemptionPolicy: 'PreemptLowerPriority' },
  columns: defineColumns({
    Name: nameColumn,
    Value: ['integer', 'value'],
    'Global-Default': ['boolean', 'globalDefault'],
    Age: ageColumn,
    PreemptionPolicy: ['string', 'preemptionPolicy'],
  }),
});

export const runtimeClass = defineShaped({
  group: 'node.k8s.io',
  kind: 'RuntimeClass',
  plural: 'runtimeclasses',
  namespaced: false,
  hasStatus: false,
  fixed: ['handler'],
  strategy: { createOnUpdate: true, unconditionalUpdate: false },
  columns: defineColumns({ Name: nameColumn, Handler: ['string', 'handler'], Age: ageColumn }),
});

interface FlowSchemaShape extends Stored {
  readonly status?: { readonly conditions?: readonly { readonly type?: string; readonly status?: string }[] };
}

const flowcontrol = 'flowcontrol.apiserver.k8s.io';

/** Stored alone: a sandbox answers requests as they come. */
export const flowSchema = defineShaped({
  group: flowcontrol,
  kind: 'FlowSchema',
  plural: 'flowschemas',
  namespaced: false,
  generation: 'spec',
  defaults: { 'spec.matchingPrecedence': 1000 },
  columns: defineColumns<FlowSchemaShape>({
    Name: nameColumn,
    PriorityLevel: ['string', 'spec.priorityLevelConfiguration.name'],
    MatchingPrecedence: ['string', 'spec.matchingPrecedence', 0],
    DistinguisherMethod: ['string', 'spec.distinguisherMethod.type', none],
    Age: ageColumn,
    MissingPL: ['string', ({ status }) => status?.conditions?.find(({ type }) => type === 'Dangling')?.status ?? '?'],
  }),
});

export const priorityLevelConfiguration = defineShaped({
  group: flowcontrol,
  kind: 'PriorityLevelConfiguration',
  plural: 'prioritylevelconfigurations',
  namespaced: false,
  generation: 'spec',
  defaults: {
    'spec.limited.nominalConcurrencyShares': 30,
    'spec.limited.lendablePercent': 0,
    'spec.limited.limitResponse.queuing.queues': 64,
    'spec.limited.limitResponse.queuing.handSize': 8,
    'spec.limited.limitResponse.queuing.queueLengthLimit': 50,
    'spec.exempt.nominalConcurrencyShares': 0,
    'spec.exempt.lendablePercent': 0,
  },
  columns: defineColumns({
    Name: nameColumn,
    Type: ['string', 'spec.type'],
    NominalConcurrencyShares: ['string', 'spec.limited.nominalConcurrencyShares', none],
    Queues: ['string', 'spec.limited.limitResponse.queuing.queues', none],
    HandSize: ['string', 'spec.limited.limitResponse.queuing.handSize', none],
    QueueLengthLimit: ['string', 'spec.limited.limitResponse.queuing.queueLengthLimit', none],
    Age: ageColumn,
  }),
});

interface SigningRequestShape extends Stored {
  readonly spec?: { readonly expirationSeconds?: number };
  readonly status?: {
    readonly certificate?: string | null;
    readonly conditions?: readonly { readonly type?: string }[];
  };
}

/** Stored, approved and denied by clients; nothing signs. */
export const certificateSigningRequest = defineShaped({
  group: 'certificates.k8s.io',
  kind: 'CertificateSigningRequest',
  plural: 'certificatesigningrequests',
  namespaced: false,
  shortNames: ['csr'],
  subresources: [{ name: 'approval', kind: 'status', verbs: ['get', 'patch', 'update'] }],
  selectable: selectableFields('spec.signerName'),
  strategy: {
    nameProblems: pathSegmentName,
    prepareForUpdate: orderedBy(
      () => builtInType('certificates.k8s.io/v1', 'CertificateSigningRequest'),
      (object, before: Stored) => ({ ...object, spec: before['spec'], status: before['status'] }),
    ),
    prepareForStatusUpdate: (object, before) => ({
      ...object,
      spec: before['spec'],
      status: { ...(object['status'] as object), ...conditionsOf(before) },
    }),
    subresourceUpdates: {
      approval: {
        prepare: (object, before) => ({
          ...object,
          spec: before['spec'],
          status: { ...(before['status'] as object), ...conditionsOf(object) },
        }),
        validate: () => [],
      },
    },
  },
  columns: defineColumns<SigningRequestShape>({
    Name: nameColumn,
    Age: ageColumn,
    SignerName: ['string', 'spec.signerName', none],
    Requestor: ['string', 'spec.username'],
    RequestedDuration: ['string', durationText],
    Condition: ['string', requestState],
  }),
});

function conditionsOf({ status }: Stored & { readonly status?: unknown }): object {
  const { conditions } = (status ?? {}) as { readonly conditions?: unknown };
  return conditions === undefined ? {} : { conditions };
}

function durationText({ spec }: SigningRequestShape): string {
  return spec?.expirationSeconds === undefined ? none : humanDuration(spec.expirationSeconds * 1000);
}

function requestState({ status }: SigningRequestShape): string {
  const has = (type: string) => status?.conditions?.some((one) => one.type === type) === true;
  const verdict = has('Denied') ? 'Denied' : has('Approved') ? 'Approved' : 'Pending';
  const isIssued = (status?.certificate ?? '') !== '';
  return `${verdict}${has('Failed') ? ',Failed' : ''}${isIssued ? ',Issued' : ''}`;
}
