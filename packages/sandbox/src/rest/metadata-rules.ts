import { validateObjectMeta } from '@isthmus/machinery';
import type { FieldError, ObjectMeta } from '@isthmus/machinery';
import { equal } from '@isthmus/machinery';
import type { ServedResource } from '../registry/served-resource.ts';
import { invalidValue } from '../server/refusal.ts';
import type { Stored } from '../store/stored.ts';

/** What is wrong with the metadata of a new object. */
export function metadataErrors(resource: ServedResource, { metadata }: Stored): readonly FieldError[] {
  const errors = validateObjectMeta(metadata, resource.namespaced).filter(
    ({ path }) => path !== 'metadata.name' && path !== 'metadata.generateName',
  );
  const generateName = metadata.generateName ?? '';
  const prefixErrors =
    generateName === ''
      ? []
      : resource.strategy
          .nameProblems(generateName, true)
          .map((why) => invalidValue('metadata.generateName', generateName, why));
  errors.push(...ownerErrors(metadata), ...(isJudgedByCore(resource) ? finalizerErrors(metadata) : []));
  if (metadata.name === '') {
    const missing = 'name or generateName is required';
    return [...prefixErrors, { path: 'metadata.name', type: 'Required', value: '', detail: missing }, ...errors];
  }
  const nameErrors = resource.strategy
    .nameProblems(metadata.name, false)
    .map((why) => invalidValue('metadata.name', metadata.name, why));
  return [...prefixErrors, ...nameErrors, ...errors];
}

/** One controller at most; and an Event owns nothing. */
function ownerErrors({ ownerReferences = [] }: ObjectMeta): readonly FieldError[] {
  const path = 'metadata.ownerReferences';
  const errors = ownerReferences
    .filter(({ apiVersion, kind }) => apiVersion === 'v1' && kind === 'Event')
    .map((owner) => invalidValue(path, owner, '/v1, Kind=Event is disallowed from being an owner'));
  const controllers = ownerReferences
    .filter(({ controller }) => controller === true)
    .map(({ kind, name }) => `${kind}/${name}`);
  const [first = '', second] = controllers;
  if (second === undefined) return errors;
  const detail = `Only one reference can have Controller set to true. Found "true" in references for ${first} and ${second}`;
  return [...errors, invalidValue(path, ownerReferences, detail)];
}

/** Some groups ask less of finalizers, as custom resources do. */
function isJudgedByCore({ origin, group }: ServedResource): boolean {
  return origin === 'built-in' && !lenientGroups.has(group);
}

const lenientGroups: ReadonlySet<string> = new Set([
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'coordination.k8s.io',
]);

const standardFinalizers: ReadonlySet<string> = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);

/** Finalizers of built-in kinds are standard ones or have a domain. */
function finalizerErrors({ finalizers = [] }: ObjectMeta): readonly FieldError[] {
  return finalizers.flatMap((finalizer, index) =>
    finalizer.includes('/') || standardFinalizers.has(finalizer)
      ? []
      : [
          invalidValue(
            `metadata.finalizers[${index}]`,
            finalizer,
            'name is neither a standard finalizer name nor is it fully qualified',
          ),
        ],
  );
}

/** What is wrong with the labels, annotations, owners and finalizers of an object, whatever it was before. */
export function formErrors(metadata: ObjectMeta, namespaced: boolean): readonly FieldError[] {
  return validateObjectMeta(metadata, namespaced).filter(
    ({ path }) => path !== 'metadata.name' && path !== 'metadata.generateName',
  );
}

/** The metadata of an update before it is judged: what a client may leave out is as it was. */
export function updatedMetadata(before: ObjectMeta, given: ObjectMeta): ObjectMeta {
  const { resourceVersion: _resourceVersion, generation: _generation, creationTimestamp: _created, ...rest } = given;
  // A kind of the cluster takes a body with a Namespace, and drops it.
  const { namespace: _namespace, ...kept } = rest;
  return {
    ...kept,
    ...(before.namespace !== undefined && { namespace: before.namespace }),
    ...field('uid', given.uid || before.uid),
    ...field('resourceVersion', before.resourceVersion),
    ...field('creationTimestamp', before.creationTimestamp),
    ...field('deletionTimestamp', before.deletionTimestamp ?? given.deletionTimestamp),
    ...field('deletionGracePeriodSeconds', given.deletionGracePeriodSeconds ?? before.deletionGracePeriodSeconds),
    ...field('generation', before.generation),
  };
}

/** What is wrong with the metadata of an update, and may not be changed. */
export function metadataUpdateErrors(before: ObjectMeta, next: ObjectMeta, namespaced: boolean): readonly FieldError[] {
  const errors = validateObjectMeta(next, namespaced).filter(({ path }) => path !== 'metadata.name');
  if (before.deletionTimestamp !== undefined) {
    const had = new Set(before.finalizers);
    const added = (next.finalizers ?? []).filter((finalizer) => !had.has(finalizer));
    if (added.length > 0) {
      const list = `[]string{${added.map((finalizer) => JSON.stringify(finalizer)).join(', ')}}`;
      const detail = `no new finalizers can be added if the object is being deleted, found new finalizers ${list}`;
      errors.push({ path: 'metadata.finalizers', type: 'Forbidden', value: '', detail });
    }
  }
  for (const name of immutable) {
    if (!equal(before[name], next[name])) {
      errors.push(invalidValue(`metadata.${name}`, next[name], 'field is immutable'));
    }
  }
  return errors;
}

const immutable = ['name', 'namespace', 'uid', 'deletionTimestamp', 'deletionGracePeriodSeconds'] as const;

function field<K extends keyof ObjectMeta>(name: K, value: ObjectMeta[K]): Pick<ObjectMeta, K> | object {
  return value === undefined ? {} : { [name]: value };
}
