import { statefulSetColumns } from './workload-columns.ts';
import { defineBuiltIn, labelName, scaleSubresource, statusSubresource } from '../define.ts';
import { equal } from '@isthmus/machinery';
import type { Errors } from '../field-checks.ts';
import { annotations, nonNegative, optionalText, when } from '../field-checks.ts';
import { dnsLabel, forbidden, invalid, labelsRule, notSupported } from '../field-rules.ts';
import type { WorkloadSpec } from '../pods/pod-template.ts';
import {
  endlessErrors,
  mismatchErrors,
  readSelector,
  selectorErrors,
  templateDefaults,
  templateErrors,
} from '../pods/pod-template.ts';
import { workloadStrategy } from './workload-strategy.ts';

interface StatefulSetSpec extends WorkloadSpec {
  readonly serviceName?: string | undefined;
  readonly podManagementPolicy?: string | undefined;
  readonly updateStrategy?: UpdateStrategy | undefined;
  readonly persistentVolumeClaimRetentionPolicy?:
    | { readonly whenDeleted?: string | undefined; readonly whenScaled?: string | undefined }
    | undefined;
  readonly ordinals?: { readonly start?: number | undefined } | undefined;
  readonly volumeClaimTemplates?: readonly VolumeClaimTemplate[] | undefined;
}

interface VolumeClaimTemplate {
  readonly metadata?: { readonly name?: string | undefined } | undefined;
  readonly spec?: { readonly volumeMode?: string | undefined } | undefined;
  readonly status?: { readonly phase?: string | undefined } | undefined;
}

interface UpdateStrategy {
  readonly type?: string | undefined;
  readonly rollingUpdate?: { readonly partition?: number | undefined } | undefined;
}

const statefulSetStrategy = workloadStrategy<StatefulSetSpec>({
  kind: 'StatefulSet',
  warnsOfName: false,
  newStatus: { replicas: 0, availableReplicas: 0 },
  prepare: withoutMaxUnavailable,
  defaults: (spec) => ({
    ...spec,
    replicas: spec.replicas ?? 1,
    template: templateDefaults(spec.template),
    ...(spec.volumeClaimTemplates !== undefined && {
      volumeClaimTemplates: spec.volumeClaimTemplates.map((claim) => ({
        kind: 'PersistentVolumeClaim',
        apiVersion: 'v1',
        ...claim,
        spec: { ...claim.spec, volumeMode: claim.spec?.volumeMode ?? 'Filesystem' },
        status: { ...claim.status, phase: claim.status?.phase || 'Pending' },
      })),
    }),
    podManagementPolicy: spec.podManagementPolicy || 'OrderedReady',
    updateStrategy: strategyDefaults(spec.updateStrategy ?? {}),
    revisionHistoryLimit: spec.revisionHistoryLimit ?? 10,
    persistentVolumeClaimRetentionPolicy: {
      whenDeleted: spec.persistentVolumeClaimRetentionPolicy?.whenDeleted || 'Retain',
      whenScaled: spec.persistentVolumeClaimRetentionPolicy?.whenScaled || 'Retain',
    },
  }),
  errors: (spec, before) => [
    ...specErrors(spec, before === undefined),
    ...when(
      before !== undefined && !equal(fixed(spec), fixed(before)),
      forbidden(
        'spec',
        "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
      ),
    ),
  ],
  status: {
    counts: [
      'replicas',
      'readyReplicas',
      'currentReplicas',
      'updatedReplicas',
      'availableReplicas',
      'observedGeneration',
      'collisionCount',
    ],
    notMoreThan: [
      ['readyReplicas', 'replicas', 'status.replicas'],
      ['currentReplicas', 'replicas', 'status.replicas'],
      ['updatedReplicas', 'replicas', 'status.replicas'],
      ['availableReplicas', 'replicas', 'status.replicas'],
      ['availableReplicas', 'readyReplicas', 'status.readyReplicas'],
    ],
  },
});

export const statefulSet = defineBuiltIn({
  group: 'apps',
  version: 'v1',
  kind: 'StatefulSet',
  plural: 'statefulsets',
  shortNames: ['sts'],
  categories: ['all'],
  subresources: [scaleSubresource, statusSubresource],
  columns: statefulSetColumns,
  strategy: { ...statefulSetStrategy, nameProblems: labelName },
});

/** `maxUnavailable` is behind a gate that is off. */
function withoutMaxUnavailable(spec: StatefulSetSpec): StatefulSetSpec {
  const { updateStrategy = {} } = spec;
  if (updateStrategy.rollingUpdate === undefined) return spec;
  const { partition } = updateStrategy.rollingUpdate;
  const rollingUpdate = { ...(partition !== undefined && { partition }) };
  return { ...spec, updateStrategy: { ...updateStrategy, rollingUpdate } };
}

/** The immutable part of the spec. */
function fixed(spec: StatefulSetSpec): object {
  const { replicas: _r, template: _t, updateStrategy: _u, minReadySeconds: _m, ordinals: _o, ...rest } = spec;
  const { revisionHistoryLimit: _l, persistentVolumeClaimRetentionPolicy: _p, ...kept } = rest;
  return kept;
}

function strategyDefaults(strategy: UpdateStrategy): UpdateStrategy {
  const { type = '', rollingUpdate } = strategy;
  const rolling = rollingUpdate ?? (type === '' ? {} : undefined);
  const named = { ...strategy, type: type || 'RollingUpdate' };
  if (named.type !== 'RollingUpdate' || rolling === undefined) return named;
  return { ...named, rollingUpdate: { ...rolling, partition: rolling.partition ?? 0 } };
}

function specErrors(spec: StatefulSetSpec, isNew: boolean): Errors {
  const { podManagementPolicy = '', selector, template } = spec;
  const { whenDeleted = '', whenScaled = '' } = spec.persistentVolumeClaimRetentionPolicy ?? {};
  const policies = ['Retain', 'Delete'];
  const policyAt = 'spec.persistentVolumeClaimRetentionPolicy';
  const read = readSelector(selector);
  return [
    ...when(
      !['OrderedReady', 'Parallel'].includes(podManagementPolicy),
      invalid('spec.podManagementPolicy', podManagementPolicy, "must be 'OrderedReady' or 'Parallel'"),
    ),
    ...strategyErrors('spec.updateStrategy', spec.updateStrategy ?? {}),
    ...when(!policies.includes(whenDeleted), notSupported(`${policyAt}.whenDeleted`, whenDeleted, policies)),
    ...when(!policies.includes(whenScaled), notSupported(`${policyAt}.whenScaled`, whenScaled, policies)),
    ...nonNegative('spec.replicas', spec.replicas),
    ...nonNegative('spec.minReadySeconds', spec.minReadySeconds),
    ...nonNegative('spec.ordinals.start', spec.ordinals?.start),
    ...(isNew ? optionalText('spec.serviceName', spec.serviceName, dnsLabel) : []),
    ...selectorErrors('spec.selector', selector, 'statefulset'),
    ...(read === undefined
      ? [invalid('spec.selector', selector, '')]
      : [
          ...(read !== 'nothing' && read.length === 0 ? [] : mismatchErrors('spec.template', read, template)),
          ...templateErrors('spec.template', withClaims(spec)),
          // Once more: the real server has two rules for it.
          ...labelsRule('spec.template.labels', template.metadata?.labels ?? {}),
          ...annotations('spec.template.annotations', template.metadata?.annotations),
        ]),
    ...endlessErrors('spec.template', template, 'StatefulSet'),
  ];
}

/** The template for validation: with the volumes of its claims. */
function withClaims({ template, volumeClaimTemplates = [] }: StatefulSetSpec): StatefulSetSpec['template'] {
  const claims = volumeClaimTemplates.map(({ metadata }) => ({
    name: metadata?.name ?? '',
    persistentVolumeClaim: { claimName: metadata?.name ?? '' },
  }));
  const names = new Set(claims.map(({ name }) => name));
  const { hostname: _hostname, subdomain: _subdomain, ...spec } = template.spec ?? {};
  const volumes = [...claims, ...(spec.volumes ?? []).filter(({ name }) => !names.has(name))];
  return { ...template, spec: { ...spec, ...(volumes.length > 0 && { volumes }) } };
}

function strategyErrors(path: string, { type, rollingUpdate }: UpdateStrategy): Errors {
  const { partition = 0 } = rollingUpdate ?? {};
  const rolling = rollingUpdate && { Partition: partition, MaxUnavailable: null };
  const at = `${path}.rollingUpdate`;
  if (type === 'OnDelete') {
    if (rolling === undefined) return [];
    const misplaced = invalid(at, rollingUpdate, "only allowed for updateStrategy 'RollingUpdate'");
    return [{ ...misplaced, shown: JSON.stringify(rolling) }];
  }
  if (type !== 'RollingUpdate') {
    const unknown = invalid(path, type, "must be 'RollingUpdate' or 'OnDelete'");
    return [{ ...unknown, shown: JSON.stringify({ Type: type, RollingUpdate: rolling ?? null }) }];
  }
  return nonNegative(`${at}.partition`, partition);
}
