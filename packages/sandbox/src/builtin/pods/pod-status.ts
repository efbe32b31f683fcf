import { qualifiedNameErrors } from '@isthmus/machinery';
import type { Stored } from '../../store/stored.ts';
import { legacyAddress } from '../address-rules.ts';
import type { Errors } from '../field-checks.ts';
import { problems, when } from '../field-checks.ts';
import { forbidden, immutable, invalid } from '../field-rules.ts';

interface PodStatus {
  readonly conditions?: readonly { readonly type: string; readonly observedGeneration?: number | undefined }[];
  readonly qosClass?: string | undefined;
  readonly observedGeneration?: number | undefined;
  readonly podIPs?: readonly { readonly ip?: string | undefined }[] | undefined;
  readonly hostIP?: string | undefined;
  readonly hostIPs?: readonly { readonly ip?: string | undefined }[] | undefined;
  readonly containerStatuses?: readonly ContainerStatus[] | undefined;
}

interface ContainerStatus {
  readonly name: string;
  readonly state?: { readonly terminated?: { readonly exitCode: number } | undefined } | undefined;
}

function statusOf(object: Stored): PodStatus {
  const status: PodStatus = object['status'] ?? {};
  return status;
}

export interface PodAddresses {
  readonly podIP?: string | undefined;
  readonly podIPs?: readonly { readonly ip?: string | undefined }[] | undefined;
}

/** `podIP` and the first of `podIPs` are one; where they differ, the older field is right (core/v1 conversion). */
export function withOneAddress<S extends PodAddresses>(status: S): S {
  const { podIP = '', podIPs = [] } = status;
  if (podIP === '') return podIPs[0]?.ip === undefined ? status : { ...status, podIP: podIPs[0].ip };
  return podIPs[0]?.ip === podIP ? status : { ...status, podIPs: [{ ip: podIP }] };
}

/** A write of the status changes the status, and of the metadata what is not the Pod's own. */
export function withStatusKept(object: Stored, before: Stored): Stored {
  const { ownerReferences: _, ...metadata } = object.metadata;
  const { ownerReferences } = before.metadata;
  const status = statusOf(object);
  const had = statusOf(before);
  const qosClass = status.qosClass ?? had.qosClass;
  const observed = status.observedGeneration || had.observedGeneration;
  return {
    ...object,
    metadata: { ...metadata, ...(ownerReferences !== undefined && { ownerReferences }) },
    spec: before['spec'],
    status: {
      ...status,
      ...(observed !== undefined && { observedGeneration: observed }),
      ...(status.conditions !== undefined && {
        conditions: status.conditions.map((condition) => {
          const generation = had.conditions?.find(({ type }) => type === condition.type)?.observedGeneration;
          return condition.observedGeneration || generation === undefined
            ? condition
            : { ...condition, observedGeneration: generation };
        }),
      }),
      ...(qosClass !== undefined && { qosClass }),
    },
  };
}

const ownConditions = new Set(['PodScheduled', 'Ready', 'Initialized']);

/** What is wrong with the next status of a Pod. */
export function podStatusErrors(object: Stored, before: Stored): Errors {
  const status = statusOf(object);
  const had = statusOf(before);
  const { podIPs = [], hostIPs = [] } = status;
  const known = (addresses: PodStatus['podIPs']) => (addresses ?? []).map(({ ip = '' }) => ip);
  return [
    ...(status.conditions ?? []).flatMap(({ type, observedGeneration = 0 }, index) => [
      ...when(
        observedGeneration < 0,
        invalid(`status.conditions[${index}].observedGeneration`, observedGeneration, 'must be a non-negative integer'),
      ),
      ...(ownConditions.has(type) ? [] : problems(`status.conditions[${index}].Type`, type, qualifiedNameErrors(type))),
    ]),
    ...when(
      (status.observedGeneration ?? 0) < 0,
      invalid('status.observedGeneration', status.observedGeneration, 'must be a non-negative integer'),
    ),
    ...immutable('status.qosClass', status.qosClass ?? '', had.qosClass ?? ''),
    ...restartErrors(status, had, before),
    ...podIPs.flatMap(({ ip = '' }, index) => legacyAddress(`status.podIPs[${index}]`, ip, known(had.podIPs))),
    ...when(podIPs.length > 1 && (podIPs.length > 2 || sameFamily(known(podIPs))), {
      ...invalid('status.podIPs', podIPs, 'may specify no more than one IP for each IP family'),
      shown: JSON.stringify(podIPs.map(({ ip = '' }) => ({ IP: ip }))),
    }),
    ...when(
      hostIPs.length > 0 && status.hostIP !== hostIPs[0]?.ip,
      invalid('status.hostIPs[0].ip', hostIPs[0]?.ip ?? '', 'must be equal to `hostIP`'),
    ),
    ...hostIPs.flatMap(({ ip = '' }, index) => legacyAddress(`status.hostIPs[${index}]`, ip, known(had.hostIPs))),
  ];
}

/** A container that has ended for good goes on having ended. */
function restartErrors({ containerStatuses = [] }: PodStatus, had: PodStatus, { spec }: Stored): Errors {
  const policy = (spec as { readonly restartPolicy?: string | undefined }).restartPolicy;
  if (policy === 'Always') return [];
  return containerStatuses.flatMap(({ name, state }, index) => {
    const ended = had.containerStatuses?.find((one) => one.name === name)?.state?.terminated;
    const final = ended !== undefined && (policy === 'Never' || ended.exitCode === 0);
    return when(
      final && state?.terminated === undefined,
      forbidden(`status.containerStatuses[${index}].state`, 'may not be transitioned to non-terminated state'),
    );
  });
}

function sameFamily([a = '', b = '']: readonly string[]): boolean {
  return a.includes(':') === b.includes(':');
}
