import type { Stored } from '../../store/stored.ts';
import { defineColumns } from '../columns/define-columns.ts';
import { none } from '../columns/cell-texts.ts';
import { pathSegmentName } from '../define.ts';
import { when } from '../field-checks.ts';
import { forbidden } from '../field-rules.ts';
import { ageOf, humanDuration } from '../name-and-age.ts';
import { orderedBy } from '../pods/in-type-order.ts';
import { selectableFields } from '../selectable-fields.ts';
import { builtInType } from '../types/load.ts';
import { defineShaped } from './define-shaped.ts';

interface PriorityShape extends Stored {
  readonly value?: number;
  readonly globalDefault?: boolean;
  readonly preemptionPolicy?: string;
}

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
    defaults: (object) => ({ ...object, preemptionPolicy: object['preemptionPolicy'] ?? 'PreemptLowerPriority' }),
    prepareForCreate: (object) => ({ ...object, metadata: { ...object.metadata, generation: 1 } }),
  },
  columns: defineColumns<PriorityShape>(
    { Name: 'name', Value: 'integer', 'Global-Default': 'boolean', Age: 'string', PreemptionPolicy: 'string' },
    (object, now) => [
      object.metadata.name,
      object.value ?? 0,
      object.globalDefault ?? false,
      ageOf(object, now),
      object.preemptionPolicy ?? '',
    ],
  ),
});

interface RuntimeClassShape extends Stored {
  readonly handler?: string;
}

export const runtimeClass = defineShaped({
  group: 'node.k8s.io',
  kind: 'RuntimeClass',
  plural: 'runtimeclasses',
  namespaced: false,
  hasStatus: false,
  fixed: ['handler'],
  strategy: { createOnUpdate: true, unconditionalUpdate: false },
  columns: defineColumns<RuntimeClassShape>({ Name: 'name', Handler: 'string', Age: 'string' }, (object, now) => [
    object.metadata.name,
    object.handler ?? '',
    ageOf(object, now),
  ]),
});

interface FlowSchemaShape extends Stored {
  readonly spec?: {
    readonly priorityLevelConfiguration?: { readonly name?: string };
    readonly matchingPrecedence?: number;
    readonly distinguisherMethod?: { readonly type?: string };
  };
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
  strategy: {
    defaults: (object) => {
      const { spec = {} } = object as FlowSchemaShape;
      return { ...object, spec: { ...spec, matchingPrecedence: spec.matchingPrecedence || 1000 } };
    },
  },
  columns: defineColumns<FlowSchemaShape>(
    {
      Name: 'name',
      PriorityLevel: 'string',
      MatchingPrecedence: 'string',
      DistinguisherMethod: 'string',
      Age: 'string',
      MissingPL: 'string',
    },
    (object, now) => [
      object.metadata.name,
      object.spec?.priorityLevelConfiguration?.name ?? '',
      object.spec?.matchingPrecedence ?? 0,
      object.spec?.distinguisherMethod?.type ?? none,
      ageOf(object, now),
      object.status?.conditions?.find(({ type }) => type === 'Dangling')?.status ?? '?',
    ],
  ),
});

interface Queuing {
  readonly queues?: number;
  readonly handSize?: number;
  readonly queueLengthLimit?: number;
}

interface PriorityLevelShape extends Stored {
  readonly spec?: {
    readonly type?: string;
    readonly limited?: {
      readonly nominalConcurrencyShares?: number;
      readonly lendablePercent?: number;
      readonly limitResponse?: { readonly type?: string; readonly queuing?: Queuing };
    };
    readonly exempt?: { readonly nominalConcurrencyShares?: number; readonly lendablePercent?: number };
  };
}

export const priorityLevelConfiguration = defineShaped({
  group: flowcontrol,
  kind: 'PriorityLevelConfiguration',
  plural: 'prioritylevelconfigurations',
  namespaced: false,
  generation: 'spec',
  strategy: {
    defaults(object) {
      const { spec = {} } = object as PriorityLevelShape;
      const { limited, exempt } = spec;
      return {
        ...object,
        spec: {
          ...spec,
          ...(limited && { limited: limitedDefaults(limited) }),
          ...(exempt && { exempt: { nominalConcurrencyShares: 0, lendablePercent: 0, ...exempt } }),
        },
      };
    },
  },
  columns: defineColumns<PriorityLevelShape>(
    {
      Name: 'name',
      Type: 'string',
      NominalConcurrencyShares: 'string',
      Queues: 'string',
      HandSize: 'string',
      QueueLengthLimit: 'string',
      Age: 'string',
    },
    (object, now) => {
      const { type = '', limited } = object.spec ?? {};
      const queuing = limited?.limitResponse?.queuing;
      return [
        object.metadata.name,
        type,
        limited?.nominalConcurrencyShares ?? none,
        queuing?.queues ?? none,
        queuing?.handSize ?? none,
        queuing?.queueLengthLimit ?? none,
        ageOf(object, now),
      ];
    },
  ),
});

function limitedDefaults(limited: NonNullable<NonNullable<PriorityLevelShape['spec']>['limited']>) {
  const { limitResponse } = limited;
  const queuing = limitResponse?.queuing;
  return {
    ...limited,
    nominalConcurrencyShares: limited.nominalConcurrencyShares ?? 30,
    lendablePercent: limited.lendablePercent ?? 0,
    ...(queuing !== undefined && {
      limitResponse: {
        ...limitResponse,
        queuing: {
          queues: queuing.queues || 64,
          handSize: queuing.handSize || 8,
          queueLengthLimit: queuing.queueLengthLimit || 50,
        },
      },
    }),
  };
}

interface SigningRequestShape extends Stored {
  readonly spec?: { readonly signerName?: string; readonly username?: string; readonly expirationSeconds?: number };
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
  columns: defineColumns<SigningRequestShape>(
    {
      Name: 'name',
      Age: 'string',
      SignerName: 'string',
      Requestor: 'string',
      RequestedDuration: 'string',
      Condition: 'string',
    },
    (object, now) => {
      const { signerName, username = '', expirationSeconds } = object.spec ?? {};
      return [
        object.metadata.name,
        ageOf(object, now),
        signerName ?? none,
        username,
        expirationSeconds === undefined ? none : humanDuration(expirationSeconds * 1000),
        requestState(object),
      ];
    },
  ),
});

function conditionsOf({ status }: Stored & { readonly status?: unknown }): object {
  const { conditions } = (status ?? {}) as { readonly conditions?: unknown };
  return conditions === undefined ? {} : { conditions };
}

function requestState({ status }: SigningRequestShape): string {
  const has = (type: string) => status?.conditions?.some((one) => one.type === type) === true;
  const verdict = has('Denied') ? 'Denied' : has('Approved') ? 'Approved' : 'Pending';
  const isIssued = (status?.certificate ?? '') !== '';
  return `${verdict}${has('Failed') ? ',Failed' : ''}${isIssued ? ',Issued' : ''}`;
}
