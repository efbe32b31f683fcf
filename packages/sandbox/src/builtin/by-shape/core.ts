import type { Stored } from '../../store/stored.ts';
import { labelsText, unset } from '../columns/cell-texts.ts';
import { containerColumns } from '../columns/container-columns.ts';
import { ageColumn, defineColumns, nameColumn } from '../columns/define-columns.ts';
import { scaleSubresource } from '../define.ts';
import type { Errors } from '../field-checks.ts';
import { nonNegative, when } from '../field-checks.ts';
import { invalid, required } from '../field-rules.ts';
import { nameAndCreation } from '../name-and-age.ts';
import { orderedBy } from '../pods/in-type-order.ts';
import type { PodTemplate } from '../pods/pod-template.ts';
import { endlessErrors, templateDefaults, templateErrors } from '../pods/pod-template.ts';
import { textAt } from '../selectable-fields.ts';
import { builtInType } from '../types/load.ts';
import { defineShaped } from './define-shaped.ts';

type Labels = Readonly<Record<string, string>>;
type Amounts = Readonly<Record<string, string>>;

interface ControllerShape extends Stored {
  readonly spec: {
    readonly replicas?: number;
    readonly minReadySeconds?: number;
    readonly selector?: Labels;
    readonly template?: PodTemplate;
  };
}

export const replicationController = defineShaped({
  group: '',
  kind: 'ReplicationController',
  plural: 'replicationcontrollers',
  shortNames: ['rc'],
  categories: ['all'],
  subresources: [scaleSubresource],
  generation: 'spec',
  selectable: { 'status.replicas': (object) => textAt(object, 'status.replicas') || '0' },
  errors: (object) => controllerErrors((object as ControllerShape).spec),
  strategy: { defaults: controllerDefaults },
  defaults: { 'spec.replicas': 1 },
  columns: defineColumns<ControllerShape>({
    Name: nameColumn,
    Desired: ['integer', 'spec.replicas'],
    Current: ['integer', 'status.replicas'],
    Ready: ['integer', 'status.readyReplicas'],
    Age: ageColumn,
    ...containerColumns('spec.template', 'wide'),
    Selector: ['wide', ({ spec }) => labelsText(spec.selector)],
  }),
});

interface PodTemplateShape extends Stored {
  readonly template?: PodTemplate;
}

export const podTemplate = defineShaped({
  group: '',
  kind: 'PodTemplate',
  plural: 'podtemplates',
  generation: 'all-but-metadata',
  hasStatus: false,
  errors: (object) => templateErrors('template', (object as PodTemplateShape).template ?? {}),
  strategy: {
    deleteReturnsObject: true,
    defaults: (object) => ({ ...object, template: templateDefaults((object as PodTemplateShape).template ?? {}) }),
  },
  columns: defineColumns<PodTemplateShape>({
    Name: nameColumn,
    ...containerColumns('template', 'string'),
    'Pod Labels': ['string', ({ template }) => labelsText(template?.metadata?.labels)],
  }),
});

interface QuotaShape extends Stored {
  readonly spec?: { readonly hard?: Amounts };
  readonly status?: { readonly hard?: Amounts; readonly used?: Amounts };
}

/** The sandbox does not count usage: the status is that of a client. */
export const resourceQuota = defineShaped({
  group: '',
  kind: 'ResourceQuota',
  plural: 'resourcequotas',
  shortNames: ['quota'],
  errors: (object) => amountErrors('spec.hard', (object as QuotaShape).spec?.hard),
  strategy: { deleteReturnsObject: true },
  columns: defineColumns<QuotaShape>({
    Name: nameColumn,
    Request: ['string', (object) => usageText(object, false)],
    Limit: ['string', (object) => usageText(object, true)],
    Age: ageColumn,
  }),
});

/** `cpu: 1/2, memory: 1Gi/2Gi`: used and allowed amounts, of limits or of everything else. */
function usageText({ status }: QuotaShape, ofLimits: boolean): string {
  const { hard = {}, used = {} } = status ?? {};
  const names = Object.keys(hard).filter((resource) => resource.startsWith('limits.') === ofLimits);
  return names
    .toSorted()
    .map((resource) => `${resource}: ${used[resource] ?? '0'}/${hard[resource]}`)
    .join(', ');
}

interface LimitRangeItem {
  readonly type?: string;
  readonly max?: Amounts;
  readonly min?: Amounts;
  readonly default?: Amounts;
  readonly defaultRequest?: Amounts;
}

/** Nothing is limited: Pods are taken as they are. */
export const limitRange = defineShaped({
  group: '',
  kind: 'LimitRange',
  plural: 'limitranges',
  shortNames: ['limits'],
  hasStatus: false,
  columns: nameAndCreation,
  strategy: {
    createOnUpdate: true,
    defaults(object) {
      const { limits } = (object['spec'] ?? {}) as { readonly limits?: readonly LimitRangeItem[] | null };
      return limits === undefined || limits === null
        ? object
        : { ...object, spec: { ...(object['spec'] as object), limits: limits.map(withLimitDefaults) } };
    },
  },
});

/**
 * Fills in the limits and requests of an item of type Container. A missing default limit is the
 * maximum; a missing default request is the default limit, then the minimum.
 */
function withLimitDefaults(item: LimitRangeItem): LimitRangeItem {
  if (item.type !== 'Container') return item;
  const limit = { ...item.max, ...item.default };
  const request = { ...item.min, ...limit, ...item.defaultRequest };
  return {
    ...item,
    ...(Object.keys(limit).length > 0 && { default: limit }),
    ...(Object.keys(request).length > 0 && { defaultRequest: request }),
  };
}

interface VolumeSpec {
  readonly capacity?: Amounts;
  readonly accessModes?: readonly string[] | null;
  readonly claimRef?: { readonly namespace?: string; readonly name?: string };
  readonly volumeAttributesClassName?: string;
  readonly volumeName?: string;
  readonly hostPath?: { readonly type?: string };
  readonly resources?: { readonly requests?: Amounts };
}

interface VolumeShape extends Stored {
  readonly spec: VolumeSpec;
  readonly status?: {
    readonly phase?: string;
    readonly capacity?: Amounts;
    readonly accessModes?: readonly string[];
  };
}

const volumeType = () => builtInType('v1', 'PersistentVolume');

export const persistentVolume = defineShaped({
  group: '',
  kind: 'PersistentVolume',
  plural: 'persistentvolumes',
  namespaced: false,
  shortNames: ['pv'],
  selectable: { name: ({ metadata }) => metadata.name },
  errors: (object) => volumeErrors((object as VolumeShape).spec),
  strategy: {
    deleteReturnsObject: true,
    defaults: (object) => withPhase(object),
    prepareForCreate: orderedBy(volumeType, (object, { now }) => ({
      ...object,
      status: { phase: 'Pending', lastPhaseTransitionTime: now },
    })),
  },
  defaults: {
    'spec.hostPath.type': '',
    'spec.persistentVolumeReclaimPolicy': 'Retain',
    'spec.volumeMode': 'Filesystem',
  },
  columns: defineColumns<VolumeShape>({
    Name: nameColumn,
    Capacity: ['string', 'spec.capacity.storage', '0'],
    'Access Modes': ['string', ({ spec }) => accessModesText(spec.accessModes)],
    'Reclaim Policy': ['string', 'spec.persistentVolumeReclaimPolicy'],
    Status: ['string', phaseOf],
    Claim: [
      'string',
      ({ spec: { claimRef } }) => (claimRef === undefined ? '' : `${claimRef.namespace ?? ''}/${claimRef.name ?? ''}`),
    ],
    StorageClass: ['string', 'spec.storageClassName'],
    VolumeAttributesClass: ['string', 'spec.volumeAttributesClassName', unset],
    Reason: ['string', 'status.reason'],
    Age: ageColumn,
    VolumeMode: ['wide', 'spec.volumeMode', unset],
  }),
});

/** Nothing binds a claim: it stays Pending until a client binds it. */
export const persistentVolumeClaim = defineShaped({
  group: '',
  kind: 'PersistentVolumeClaim',
  plural: 'persistentvolumeclaims',
  shortNames: ['pvc'],
  selectable: { name: ({ metadata }) => metadata.name },
  errors: (object, before) => [
    ...claimErrors((object as VolumeShape).spec),
    ...(before === undefined ? [] : claimChangeErrors(object as VolumeShape, before as VolumeShape)),
  ],
  strategy: {
    deleteReturnsObject: true,
    defaults: (object) => withPhase(object),
    prepareForCreate: orderedBy(
      () => builtInType('v1', 'PersistentVolumeClaim'),
      (object) => ({ ...object, status: { phase: 'Pending' } }),
    ),
  },
  defaults: { 'spec.volumeMode': 'Filesystem' },
  columns: defineColumns<VolumeShape>({
    Name: nameColumn,
    Status: ['string', phaseOf],
    Volume: ['string', 'spec.volumeName'],
    Capacity: ['string', ({ spec, status }) => (isBound(spec) ? (status?.capacity?.['storage'] ?? '0') : '')],
    'Access Modes': ['string', ({ spec, status }) => (isBound(spec) ? accessModesText(status?.accessModes) : '')],
    StorageClass: ['string', 'spec.storageClassName'],
    VolumeAttributesClass: ['string', 'spec.volumeAttributesClassName', unset],
    Age: ageColumn,
    VolumeMode: ['wide', 'spec.volumeMode', unset],
  }),
});

/**
 * The real server asks its own parts for their health. If that is switched off, its list is empty,
 * as here.
 */
export const componentStatus = defineShaped({
  group: '',
  kind: 'ComponentStatus',
  plural: 'componentstatuses',
  namespaced: false,
  shortNames: ['cs'],
  hasStatus: false,
  verbs: ['get', 'list'],
  deprecation: 'v1 ComponentStatus is deprecated in v1.19+',
  columns: defineColumns({
    Name: nameColumn,
    Status: ['string', () => 'Unknown'],
    Message: ['string', () => ''],
    Error: ['string', () => ''],
  }),
});

function controllerDefaults(object: Stored): Stored {
  const { spec } = object as ControllerShape;
  const labels = spec.template?.metadata?.labels;
  const selects = Object.keys(spec.selector ?? {}).length > 0;
  const isLabelled = Object.keys(object.metadata.labels ?? {}).length > 0;
  return {
    ...object,
    ...(labels !== undefined && !isLabelled && { metadata: { ...object.metadata, labels } }),
    spec: {
      ...spec,
      ...(labels !== undefined && !selects && { selector: labels }),
      ...(spec.template !== undefined && { template: templateDefaults(spec.template) }),
    },
  };
}

function controllerErrors({ replicas, minReadySeconds, selector = {}, template }: ControllerShape['spec']): Errors {
  const isEmpty = Object.keys(selector).length === 0;
  const labels = template?.metadata?.labels ?? {};
  return [
    ...nonNegative('spec.minReadySeconds', minReadySeconds),
    ...when(isEmpty, required('spec.selector')),
    ...nonNegative('spec.replicas', replicas),
    ...(template === undefined
      ? [required('spec.template')]
      : [
          ...when(
            Object.entries(selector).some(([key, value]) => labels[key] !== value),
            invalid('spec.template.metadata.labels', labels, '`selector` does not match template `labels`'),
          ),
          ...templateErrors('spec.template', template),
          ...endlessErrors('spec.template', template, 'ReplicationController'),
        ]),
  ];
}

function withPhase(object: Stored): Stored {
  const status = (object['status'] ?? {}) as { readonly phase?: string };
  return { ...object, status: { ...status, phase: status.phase || 'Pending' } };
}

function isBound({ volumeName = '' }: VolumeSpec): boolean {
  return volumeName !== '';
}

function phaseOf({ metadata, status }: VolumeShape): string {
  return metadata.deletionTimestamp === undefined ? (status?.phase ?? '') : 'Terminating';
}

const shortModes: readonly (readonly [mode: string, short: string])[] = [
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
];

function accessModesText(modes: readonly string[] | null | undefined): string {
  return shortModes
    .filter(([mode]) => modes?.includes(mode) === true)
    .map(([, short]) => short)
    .join(',');
}

const sourcesOf = (spec: object): readonly string[] => {
  const field = volumeType().fields['spec']?.type;
  if (field?.kind !== 'struct') return [];
  return Object.entries(field.fields)
    .filter(([, { inline }]) => inline?.includes('PersistentVolumeSource') === true)
    .flatMap(([name]) => (Object.hasOwn(spec, name) ? [name] : []));
};

function volumeErrors(spec: VolumeSpec): Errors {
  const sources = sourcesOf(spec);
  return [
    ...when((spec.accessModes ?? []).length === 0, required('spec.accessModes')),
    ...when(Object.keys(spec.capacity ?? {}).length === 0, required('spec.capacity')),
    ...amountErrors('spec.capacity', spec.capacity),
    ...when(sources.length === 0, required('spec', 'must specify a volume type')),
    ...sources.slice(1).map((name) => ({
      path: `spec.${name}`,
      type: 'Forbidden' as const,
      value: '',
      detail: 'may not specify more than 1 volume type',
    })),
  ];
}

function claimErrors(spec: VolumeSpec): Errors {
  return [
    ...when((spec.accessModes ?? []).length === 0, required('spec.accessModes', 'at least 1 access mode is required')),
    ...when(spec.resources?.requests?.['storage'] === undefined, required('spec.resources[storage]')),
  ];
}

/** A claim gets its volume once. The size of a bound claim may change. */
function claimChangeErrors(object: VolumeShape, before: VolumeShape): Errors {
  const isInUse = object.status?.phase === 'Bound';
  const fixed = ({ volumeName, resources, volumeAttributesClassName, ...spec }: VolumeSpec, had: VolumeSpec) =>
    JSON.stringify([
      spec,
      (had.volumeName ?? '') === '' ? '' : volumeName,
      isInUse ? '' : [resources, volumeAttributesClassName],
    ]);
  return when(fixed(object.spec, before.spec) !== fixed(before.spec, before.spec), {
    path: 'spec',
    type: 'Forbidden',
    value: '',
    detail: 'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims',
  });
}

function amountErrors(path: string, amounts: Amounts = {}): Errors {
  return Object.entries(amounts).flatMap(([name, amount]) =>
    when(amount.startsWith('-'), invalid(`${path}[${name}]`, amount, 'must be greater than or equal to 0')),
  );
}
