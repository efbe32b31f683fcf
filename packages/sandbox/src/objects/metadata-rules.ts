import { equal } from '@isthmus/machinery';
import type { FieldError } from '@isthmus/schema';
import type { ObjectMeta } from '@isthmus/machinery';
import { finalizerNames, metadataForm } from '../builtin/field-rules.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import { invalidValue } from '../refusal/refusal.ts';
import type { Target } from '../core/target.ts';
import type { Stored } from '../store/stored.ts';

/** The errors of the metadata of a new object. */
export function metadataErrors(resource: ServedResource, object: Stored): readonly FieldError[] {
  const { metadata } = object;
  const generateName = metadata.generateName ?? '';
  const prefixErrors =
    generateName === ''
      ? []
      : resource.strategy
          .nameProblems(generateName, true)
          .map((why) => invalidValue('metadata.generateName', generateName, why));
  const errors = [...metadataForm(object, resource.namespaced), ...(isLenient(resource) ? [] : finalizerNames(object))];
  if (metadata.name === '') {
    const missing = 'name or generateName is required';
    return [...prefixErrors, { path: 'metadata.name', type: 'Required', value: '', detail: missing }, ...errors];
  }
  const nameErrors = resource.strategy
    .nameProblems(metadata.name, false)
    .map((why) => invalidValue('metadata.name', metadata.name, why));
  return [...prefixErrors, ...nameErrors, ...errors];
}

/** Some kinds ask less of finalizers, as custom resources do. */
function isLenient({ origin, group, kind }: ServedResource): boolean {
  return origin === 'custom' || lenientGroups.has(group) || kind === 'Event';
}

const lenientGroups: ReadonlySet<string> = new Set([
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'coordination.k8s.io',
]);

/**
 * The metadata of an update before validation: fields that a client may leave out keep their value.
 */
export function updatedMetadata(before: ObjectMeta, given: ObjectMeta): ObjectMeta {
  const { resourceVersion: _resourceVersion, generation: _generation, creationTimestamp: _created, ...rest } = given;
  // A cluster-wide kind accepts a body with a Namespace, and drops it.
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

/**
 * The errors of the metadata of an update. As on the real server, it is checked like a new object
 * and like a change. Most kinds check the change once more in their own rules.
 */
export function metadataUpdateErrors(
  { resource, subresource }: Pick<Target, 'resource' | 'subresource'>,
  before: Stored,
  next: Stored,
): readonly FieldError[] {
  const form = metadataForm(next, resource.namespaced);
  const change = [
    ...changeErrors(before.metadata, next.metadata),
    ...form.filter(({ path }) => /^metadata\.(labels|annotations|ownerReferences)/.test(path)),
  ];
  if (resource.origin === 'built-in' && withoutOwnLook.has(resource.kind)) return [...form, ...change];
  const names = isLenient(resource) ? [] : finalizerNames(next);
  const isSeenWhole = resource.origin === 'built-in' && seenWholeFirst.has(resource.kind) && subresource === undefined;
  return [...form, ...change, ...(isSeenWhole ? [...form, ...names] : []), ...change, ...names];
}

/**
 * Built-in kinds whose own rules check the whole metadata before its changes. Others do so later,
 * or not at all.
 */
const seenWholeFirst: ReadonlySet<string> = new Set([
  'Namespace',
  'Node',
  'Role',
  'ClusterRole',
  'RoleBinding',
  'ClusterRoleBinding',
]);

/** Built-in kinds whose own rules do not check changes of the metadata. */
const withoutOwnLook: ReadonlySet<string> = new Set([
  'EndpointSlice',
  'Event',
  'MutatingWebhookConfiguration',
  'ValidatingWebhookConfiguration',
]);

/** The errors of changes to immutable metadata. */
function changeErrors(before: ObjectMeta, next: ObjectMeta): readonly FieldError[] {
  const errors: FieldError[] = [];
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
