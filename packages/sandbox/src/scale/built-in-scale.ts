import type { ApiRequest } from '@isthmus/kube';
import { apiVersionOf, labelSelectorOf, printLabelSelector } from '@isthmus/machinery';
import type { LabelSelectorObject } from '@isthmus/machinery';
import { defineBuiltIn } from '../builtin/define.ts';
import { nonNegative } from '../builtin/field-checks.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import type { Admission, AdmissionRequest, Core } from '../core/core.ts';
import type { Target, WriteTarget } from '../core/target.ts';
import { badRequest, conflict, invalid } from '../refusal/refusal.ts';
import type { Stored } from '../store/stored.ts';
import { decodeObject } from '../objects/decode.ts';
import { getObject } from '../verbs/get.ts';
import { applicationOf, isApply } from '../verbs/apply.ts';
import { changeOfPatch } from '../verbs/patch.ts';
import { scaleObject } from './scale-object.ts';
import { managedAfterScale, managedOfScale } from './scale-ownership.ts';
import { updateObject } from '../verbs/update.ts';
import { writeOptions } from '../verbs/write.ts';

/** The resource that a `Scale` is decoded as, below the resource that has it. */
function scaleResource({ plural }: ServedResource): ServedResource {
  return defineBuiltIn({
    group: 'autoscaling',
    version: 'v1',
    kind: 'Scale',
    plural,
  });
}

/** The `Scale` of a built-in object. */
export async function readBuiltInScale(core: Core, target: Target): Promise<Stored> {
  return scaleOf(await getObject(core, target));
}

/** How the `Scale` of a kind reads and writes its objects. */
export interface ScaleShape {
  readonly scaleOf: (object: Stored) => Stored;
  /**
   * The object with these replicas; undefined if the sent Scale has none. Errors: throws for
   * invalid replicas.
   */
  readonly withReplicas: (object: Stored, replicas: number | undefined) => Stored;
  /** The key of the object in the real server's storage, which its errors contain. */
  readonly keyOf: (object: Stored) => string;
}

function builtInShape({ plural }: ServedResource): ScaleShape {
  return {
    scaleOf,
    withReplicas(object, replicas = 0) {
      const errors = nonNegative('spec.replicas', replicas);
      if (errors.length > 0) throw invalid({ group: 'autoscaling', kind: 'Scale' }, object.metadata.name, errors);
      return { ...object, spec: { ...(object['spec'] as object), replicas } };
    },
    keyOf: ({ metadata }) => `/${plural}/${metadata.namespace}/${metadata.name}`,
  };
}

/** Sets the replicas through the `Scale`, replaced, patched or applied. */
export async function writeBuiltInScale(
  core: Core,
  target: WriteTarget,
  request: ApiRequest,
  shape = builtInShape(target.resource),
): Promise<Stored> {
  const { resource, name } = target;
  const scaleTarget: WriteTarget = { ...target, resource: scaleResource(resource) };
  const given = request.method === 'PATCH' ? undefined : decodeObject(scaleTarget, request);
  const applies = given === undefined && isApply(request);
  const applied = applies ? applicationOf(core, scaleTarget, request) : undefined;
  const change = applied ?? (given === undefined ? changeOfPatch(scaleTarget, request) : () => given);
  const kind = request.method === 'PATCH' ? 'PatchOptions' : 'UpdateOptions';
  const review = {
    operation: 'UPDATE',
    target,
    body: scaleTarget.resource,
    options: writeOptions(kind, target),
  } as const;
  const { object } = await updateObject(
    core,
    { ...target, subresource: undefined, scales: true },
    async (before) => {
      const shown = shape.scaleOf(before);
      const managed = applies ? { managedFields: managedOfScale(before) } : {};
      const asked = await change({ ...shown, metadata: { ...shown.metadata, ...managed } });
      const scale = (await core.admission.mutate(core, { ...review, object: asked, before: shown })) ?? asked;
      const { metadata } = scale;
      if (metadata.name !== name) {
        throw badRequest(`the name of the object (${metadata.name}) does not match the name on the URL (${name})`);
      }
      const { replicas } = (scale['spec'] ?? {}) as { readonly replicas?: number | undefined };
      const scaled = shape.withReplicas(before, replicas);
      const { uid = '', resourceVersion = '' } = metadata;
      if (uid !== '' && uid !== before.metadata.uid) {
        const mismatch = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${before.metadata.uid}`;
        const key = shape.keyOf(before);
        throw conflict(
          resource,
          name,
          `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${mismatch}`,
        );
      }
      return {
        ...scaled,
        metadata: {
          ...before.metadata,
          resourceVersion: resourceVersion === '' ? before.metadata.resourceVersion : resourceVersion,
          ...(applies && { managedFields: managedAfterScale(before, scale, apiVersionOf(resource)) }),
        },
      };
    },
    { options: kind, tracked: applies, admission: admittedAsScale(review, shape) },
  );
  return shape.scaleOf(object);
}

/** Admission of the write as a Scale. Webhooks of the object itself are not called. */
function admittedAsScale(review: Omit<AdmissionRequest, 'object' | 'before'>, { scaleOf }: ScaleShape): Admission {
  return {
    mutate: async (_, { object }) => object,
    validate: (core, { object, before }) =>
      core.admission.validate(core, {
        ...review,
        object: object && scaleOf(object),
        before: before && scaleOf(before),
      }),
  };
}

function scaleOf(object: Stored): Stored {
  const { replicas = 0, selector } = object['spec'] as {
    readonly replicas?: number | undefined;
    readonly selector?: LabelSelectorObject | undefined;
  };
  const status = (object['status'] ?? {}) as { readonly replicas?: number | undefined };
  return scaleObject(object, {
    replicas,
    current: status.replicas ?? 0,
    selector: selector === undefined ? '' : printLabelSelector(labelSelectorOf(selector)),
  });
}
