import { equal } from '@isthmus/machinery';
import type { FieldError } from '@isthmus/schema';
import type { Stored } from '../../store/stored.ts';
import type { Strategy, StrategyContext } from '../../strategy/strategy.ts';
import { addressWarnings } from '../address-rules.ts';
import type { Errors } from '../field-checks.ts';
import { when } from '../field-checks.ts';
import { forbidden, metadataAgain } from '../field-rules.ts';
import { specOrStatus } from '../reset-fields.ts';
import { builtInType } from '../types/load.ts';
import { ephemeralContainersUpdate } from './ephemeral-containers.ts';
import { orderedBy } from './in-type-order.ts';
import { podSpecDefaults } from './pod-defaults.ts';
import type { PodSpec } from './pod-spec.ts';
import { imageErrorsOfPod, podSpecErrors } from './pod-spec-validation.ts';
import { podStatusErrors, withOneAddress, withStatusKept } from './pod-status.ts';
import type { PodAddresses } from './pod-status.ts';
import { podSpecUpdateErrors } from './pod-update.ts';
import { hostNameWarnings, podWarnings } from './pod-warnings.ts';
import { qosClassOf } from './quality-of-service.ts';

const podType = () => builtInType('v1', 'Pod');

/**
 * The rules of Pods. Their admission (ServiceAccount, priority, tolerations) is
 * admission/pod-admission.ts.
 */
export const podStrategy: Partial<Strategy> = {
  deleteReturnsObject: true,
  generation: 'spec',
  resetFields: specOrStatus,
  defaults: (object) => ({
    ...object,
    spec: podSpecDefaults(specOf(object), false),
    status: withOneAddress((object['status'] ?? {}) as PodAddresses),
  }),
  prepareForCreate: orderedBy(podType, (object, { now }: StrategyContext) => ({
    ...object,
    status: newStatus(specOf(object), now),
  })),
  prepareForUpdate: orderedBy(podType, (object, before: Stored) => ({ ...object, status: before['status'] })),
  prepareForStatusUpdate: orderedBy(podType, withStatusKept),
  validate(object) {
    const spec = specOf(object);
    const gated = (spec.nodeName ?? '') !== '' && (spec.schedulingGates ?? []).length > 0;
    return [
      ...podErrors(spec),
      ...when(
        (spec.ephemeralContainers ?? []).length > 0,
        forbidden('spec.ephemeralContainers', 'cannot be set on create'),
      ),
      ...when(gated, forbidden('spec.nodeName', 'cannot be set until all schedulingGates have been cleared')),
    ];
  },
  validateUpdate(object, before): readonly FieldError[] {
    if (equal(object['spec'], before['spec'])) return [...metadataAgain(object), ...podErrors(specOf(object))];
    return [
      ...metadataAgain(object),
      ...podErrors(specOf(object)),
      ...podSpecUpdateErrors(specOf(object), specOf(before)),
    ];
  },
  validateStatusUpdate: podStatusErrors,
  subresourceUpdates: { ephemeralcontainers: ephemeralContainersUpdate },
  warnings(object, before) {
    if (before !== undefined) return statusWarnings(object, before);
    return [...hostNameWarnings(object.metadata.name, "the Pod's hostname"), ...podWarnings('', specOf(object))];
  },
  gracePeriodSeconds(object) {
    const { phase } = (object['status'] ?? {}) as { readonly phase?: string | undefined };
    const { nodeName = '', terminationGracePeriodSeconds: seconds = 0 } = specOf(object);
    // A Pod without running containers has no grace period.
    if (nodeName === '' || phase === 'Failed' || phase === 'Succeeded') return 0;
    return seconds < 0 ? 1 : seconds;
  },
};

function specOf(object: Stored): PodSpec {
  const spec: PodSpec = object['spec'] ?? {};
  return spec;
}

function podErrors(spec: PodSpec): Errors {
  return [
    ...podSpecErrors('spec', spec, true),
    ...imageErrorsOfPod('spec.containers', spec.containers ?? []),
    ...imageErrorsOfPod('spec.initContainers', spec.initContainers),
  ];
}

function newStatus(spec: PodSpec, now: string): object {
  const gated = (spec.schedulingGates ?? []).length > 0;
  const condition = {
    type: 'PodScheduled',
    status: 'False',
    lastProbeTime: null,
    lastTransitionTime: now,
    reason: 'SchedulingGated',
    message: 'Scheduling is blocked due to non-empty scheduling gates',
  };
  return { phase: 'Pending', ...(gated && { conditions: [condition] }), qosClass: qosClassOf(spec) };
}

function statusWarnings(object: Stored, before: Stored): readonly string[] {
  if (equal(object['status'], before['status'])) return [];
  const { podIPs = [], hostIPs = [] } = object['status'] as Readonly<
    Record<'podIPs' | 'hostIPs', readonly { readonly ip?: string }[] | undefined>
  >;
  return [
    ...podIPs.flatMap(({ ip = '' }, index) => addressWarnings(`status.podIPs[${index}].ip`, ip)),
    ...hostIPs.flatMap(({ ip = '' }, index) => addressWarnings(`status.hostIPs[${index}].ip`, ip)),
  ];
}
