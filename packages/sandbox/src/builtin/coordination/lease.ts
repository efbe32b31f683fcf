import type { FieldError } from '@isthmus/schema';
import type { Stored } from '../../store/stored.ts';
import type { Strategy } from '../../strategy/strategy.ts';
import { defineBuiltIn } from '../define.ts';
import { ageColumn, defineColumns, nameColumn } from '../columns/define-columns.ts';
import { compact, invalid } from '../field-rules.ts';

const leaseStrategy: Partial<Strategy> = {
  createOnUpdate: true,
  unconditionalUpdate: false,
  prepareForCreate: withoutElection,
  prepareForUpdate: withoutElection,
  validate: leaseErrors,
  validateUpdate: leaseErrors,
};

export const lease = defineBuiltIn({
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  plural: 'leases',
  columns: defineColumns({ Name: nameColumn, Holder: ['string', 'spec.holderIdentity'], Age: ageColumn }),
  strategy: leaseStrategy,
});

interface LeaseSpec {
  readonly leaseDurationSeconds?: number | undefined;
  readonly leaseTransitions?: number | undefined;
}

/** The fields of coordinated leader election, which is off by default, are dropped. */
function withoutElection(object: Stored): Stored {
  if (object['spec'] === undefined) return object;
  return {
    ...object,
    spec: compact({ ...(object['spec'] as object), strategy: undefined, preferredHolder: undefined }),
  };
}

function leaseErrors(object: Stored): readonly FieldError[] {
  const { leaseDurationSeconds: seconds, leaseTransitions: transitions } = (object['spec'] ?? {}) as LeaseSpec;
  return [
    ...(seconds !== undefined && seconds <= 0
      ? [invalid('spec.leaseDurationSeconds', seconds, 'must be greater than 0')]
      : []),
    ...(transitions !== undefined && transitions < 0
      ? [invalid('spec.leaseTransitions', transitions, 'must be greater than or equal to 0')]
      : []),
  ];
}
