import { qualifiedNameErrors } from '@isthmus/machinery';
import type { FieldError } from '@isthmus/schema';
import type { Stored } from '../../store/stored.ts';
import type { Strategy } from '../../strategy/strategy.ts';
import { labelName } from '../define.ts';
import { invalid } from '../field-rules.ts';
import { specOrStatus } from '../reset-fields.ts';
import { ageColumn, defineColumns, nameColumn } from '../columns/define-columns.ts';
import { resourceVerbs } from '../../request/verbs.ts';
import { defineBuiltIn, statusSubresource } from '../define.ts';
import { selectableFields } from '../selectable-fields.ts';

const namespaceStrategy: Partial<Strategy> = {
  resetFields: specOrStatus,
  nameProblems: labelName,
  deleteReturnsObject: true,
  defaults: (object) => ({ ...(object.metadata.name === '' ? object : labelled(object)), status: withPhase(object) }),
  prepareForCreate: (object) => {
    const finalizers = finalizersOf(object);
    const held = finalizers.includes('kubernetes') ? finalizers : [...finalizers, 'kubernetes'];
    return { ...object, spec: { finalizers: held }, status: { phase: 'Active' } };
  },
  prepareForUpdate: (object, before) => ({ ...object, spec: before['spec'], status: before['status'] }),
  prepareForStatusUpdate: (object, before) => ({ ...object, spec: before['spec'] }),
  canonicalize: labelled,
  validate: (object) => finalizerErrors(object, false),
  validateUpdate: (object) => finalizerErrors(object, false),
  validateStatusUpdate: phaseErrors,
  subresourceUpdates: {
    finalize: {
      prepare: (object, before) => ({ ...object, status: before['status'] }),
      validate: (object) => finalizerErrors(object, true),
    },
  },
};

export const namespace = defineBuiltIn({
  group: '',
  version: 'v1',
  kind: 'Namespace',
  plural: 'namespaces',
  namespaced: false,
  verbs: resourceVerbs.filter((verb) => verb !== 'deletecollection'),
  shortNames: ['ns'],
  subresources: [{ name: 'finalize', kind: 'status', verbs: ['update'] }, statusSubresource],
  columns: defineColumns({ Name: nameColumn, Status: ['string', 'status.phase'], Age: ageColumn }),
  selectable: { name: ({ metadata }) => metadata.name, ...selectableFields('status.phase') },
  strategy: namespaceStrategy,
});

const standard = ['kubernetes', 'orphan', 'foregroundDeletion'];

function labelled(object: Stored): Stored {
  const { metadata } = object;
  return {
    ...object,
    metadata: { ...metadata, labels: { ...metadata.labels, 'kubernetes.io/metadata.name': metadata.name } },
  };
}

function withPhase(object: Stored): object {
  const status = (object['status'] ?? {}) as { readonly phase?: string };
  return { ...status, phase: status.phase || 'Active' };
}

function finalizersOf(object: Stored): readonly string[] {
  return (object['spec'] as { readonly finalizers?: readonly string[] } | undefined)?.finalizers ?? [];
}

function finalizerErrors(object: Stored, indexed: boolean): readonly FieldError[] {
  return finalizersOf(object).flatMap((finalizer, index) => {
    const path = indexed ? `spec.finalizers[${index}]` : 'spec.finalizers';
    const errors = qualifiedNameErrors(finalizer).map((why) => invalid(path, finalizer, why));
    if (finalizer.includes('/') || standard.includes(finalizer)) return errors;
    return [...errors, invalid(path, finalizer, 'name is neither a standard finalizer name nor is it fully qualified')];
  });
}

function phaseErrors(object: Stored): readonly FieldError[] {
  const { phase = '' } = object['status'] as { readonly phase?: string };
  const live = object.metadata.deletionTimestamp === undefined;
  if (phase === (live ? 'Active' : 'Terminating')) return [];
  const detail = live
    ? "may only be 'Active' if `deletionTimestamp` is empty"
    : "may only be 'Terminating' if `deletionTimestamp` is not empty";
  return [invalid('status.Phase', phase, detail)];
}
