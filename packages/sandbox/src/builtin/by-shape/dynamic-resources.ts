import type { Stored } from '../../store/stored.ts';
import { ageColumn, defineColumns, nameColumn } from '../columns/define-columns.ts';
import { selectableFields } from '../selectable-fields.ts';
import { defineShaped } from './define-shaped.ts';

const group = 'resource.k8s.io';

const nameAndAge = defineColumns({ Name: nameColumn, Age: ageColumn });

/** Kept alone: nothing allocates devices. */
export const deviceClass = defineShaped({
  group,
  kind: 'DeviceClass',
  plural: 'deviceclasses',
  namespaced: false,
  hasStatus: false,
  generation: 'spec',
  strategy: { deleteReturnsObject: true },
  columns: nameAndAge,
});

interface ClaimShape extends Stored {
  readonly status?: { readonly allocation?: object; readonly reservedFor?: readonly object[] };
}

interface DeviceRequest {
  readonly exactly?: Counted;
  readonly firstAvailable?: readonly Counted[];
}

interface Counted {
  readonly allocationMode?: string;
  readonly count?: number;
}

interface ClaimSpec {
  readonly devices?: { readonly requests?: readonly DeviceRequest[] };
}

export const resourceClaim = defineShaped({
  group,
  kind: 'ResourceClaim',
  plural: 'resourceclaims',
  fixed: ['spec'],
  strategy: {
    deleteReturnsObject: true,
    defaults: (object) =>
      object['spec'] === undefined ? object : { ...object, spec: withCounts(object['spec'] as ClaimSpec) },
  },
  columns: defineColumns({ Name: nameColumn, State: ['string', claimState], Age: ageColumn }),
});

export const resourceClaimTemplate = defineShaped({
  group,
  kind: 'ResourceClaimTemplate',
  plural: 'resourceclaimtemplates',
  hasStatus: false,
  fixed: ['spec'],
  strategy: {
    deleteReturnsObject: true,
    defaults(object) {
      const outer = object['spec'] as { readonly spec?: ClaimSpec } | undefined;
      return outer?.spec === undefined ? object : { ...object, spec: { ...outer, spec: withCounts(outer.spec) } };
    },
  },
  columns: nameAndAge,
});

export const resourceSlice = defineShaped({
  group,
  kind: 'ResourceSlice',
  plural: 'resourceslices',
  namespaced: false,
  hasStatus: false,
  generation: 'spec',
  fixed: ['spec.pool.name', 'spec.driver', 'spec.nodeName'],
  selectable: selectableFields('spec.nodeName', 'spec.driver'),
  strategy: { deleteReturnsObject: true },
  columns: defineColumns({
    Name: nameColumn,
    Node: ['string', 'spec.nodeName'],
    Driver: ['string', 'spec.driver'],
    Pool: ['string', 'spec.pool.name'],
    Age: ageColumn,
  }),
});

function withCounts(spec: ClaimSpec): ClaimSpec {
  const requests = spec.devices?.requests;
  if (!Array.isArray(requests)) return spec;
  return {
    ...spec,
    devices: {
      ...spec.devices,
      requests: requests.map((request) => ({
        ...request,
        ...(request.exactly && { exactly: counted(request.exactly) }),
        ...(request.firstAvailable && { firstAvailable: request.firstAvailable.map(counted) }),
      })),
    },
  };
}

function counted(request: Counted): Counted {
  const allocationMode = request.allocationMode || 'ExactCount';
  return { ...request, allocationMode, ...(allocationMode === 'ExactCount' && { count: request.count || 1 }) };
}

function claimState({ metadata, status }: ClaimShape): string {
  const isDeleted = metadata.deletionTimestamp !== undefined;
  const isAllocated = status?.allocation !== undefined;
  return [
    ...(isDeleted ? ['deleted'] : []),
    ...(isAllocated ? ['allocated'] : isDeleted ? [] : ['pending']),
    ...(isAllocated && (status.reservedFor ?? []).length > 0 ? ['reserved'] : []),
  ].join(',');
}
