import type { Stored } from '../../store/stored.ts';
import { legacyAddress } from '../address-rules.ts';
import type { Errors } from '../field-checks.ts';
import { immutable } from '../field-rules.ts';

interface PodStatus {
  readonly conditions?: readonly { readonly type: string; readonly observedGeneration?: number | undefined }[];
  readonly qosClass?: string | undefined;
  readonly observedGeneration?: number | undefined;
  readonly podIPs?: readonly { readonly ip?: string | undefined }[] | undefined;
  readonly hostIPs?: readonly { readonly ip?: string | undefined }[] | undefined;
}

function statusOf(object: Stored): PodStatus {
  const status: PodStatus = object['status'] ?? {};
  return status;
}

export interface PodAddresses {
  readonly podIP?: string | undefined;
  readonly podIPs?: readonly { readonly ip?: string | undefined }[] | undefined;
}

/**
 * `podIP` and the first of `podIPs` are the same. If they differ, the older field counts (core/v1
 * conversion).
 */
export function withOneAddress<S extends PodAddresses>(status: S): S {
  const { podIP = '', podIPs = [] } = status;
  if (podIP === '') return podIPs[0]?.ip === undefined ? status : { ...status, podIP: podIPs[0].ip };
  return podIPs[0]?.ip === podIP ? status : { ...status, podIPs: [{ ip: podIP }] };
}

/** A status update changes the status, and the metadata except the owner references. */
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

/** The errors of the next status of a Pod. */
export function podStatusErrors(object: Stored, before: Stored): Errors {
  const status = statusOf(object);
  const had = statusOf(before);
  const { podIPs = [], hostIPs = [] } = status;
  const known = (addresses: PodStatus['podIPs']) => (addresses ?? []).map(({ ip = '' }) => ip);
  return [
    ...immutable('status.qosClass', status.qosClass ?? '', had.qosClass ?? ''),
    ...podIPs.flatMap(({ ip = '' }, index) => legacyAddress(`status.podIPs[${index}]`, ip, known(had.podIPs))),
    ...hostIPs.flatMap(({ ip = '' }, index) => legacyAddress(`status.hostIPs[${index}]`, ip, known(had.hostIPs))),
  ];
}
