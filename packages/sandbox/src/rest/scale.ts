import type { ApiRequest } from '@isthmus/kube';
import { applyMergePatch, numberAt, textAt, withNumberAt } from '@isthmus/machinery';
import type { ScalePaths } from '../crd/definition.ts';
import type { Core, Target, WriteTarget } from '../server/core.ts';
import { badRequest, internalError, unexplained } from '../server/refusal.ts';
import type { Stored } from '../store/stored.ts';
import { readBuiltInScale, writeBuiltInScale } from './built-in-scale.ts';
import { getObject } from './get.ts';
import { updateObject } from './update.ts';

/** The `Scale` of an object (autoscaling/v1). Errors: 500 where the object says no replicas, as the real server. */
export async function readScale(core: Core, target: Target): Promise<unknown> {
  if (target.resource.origin === 'built-in') return readBuiltInScale(core, target);
  const paths = pathsOf(target);
  const object = await getObject(core, target);
  const found = numberAt(object, paths.specReplicasPath);
  if ('problem' in found) throw unexplained(found.problem);
  if (found.value === undefined) {
    throw internalError(missing(paths, 'does not exist'));
  }
  return scaleOf(object, paths);
}

/** Sets the replicas of an object through its `Scale`, replaced or merge-patched; other patches are refused. */
export async function writeScale(core: Core, target: WriteTarget, request: ApiRequest): Promise<unknown> {
  if (target.resource.origin === 'built-in') return writeBuiltInScale(core, target, request);
  const paths = pathsOf(target);
  const body = parsed(request.body ?? '');
  const { object } = await updateObject(
    core,
    { ...target, subresource: undefined, scales: true },
    (before) => {
      const scale = scaleOf(before, paths) as Scale;
      const next = (request.method === 'PATCH' ? applyMergePatch(scale, body) : body) as Partial<Scale>;
      const { replicas } = next.spec ?? {};
      if (request.method === 'PATCH' && replicas === undefined)
        throw badRequest(`the ${missing(paths, 'cannot be empty')}`);
      const { resourceVersion = '' } = next.metadata ?? {};
      const scaled = withNumberAt(before, paths.specReplicasPath, replicas ?? 0);
      return resourceVersion === '' ? scaled : { ...scaled, metadata: { ...scaled.metadata, resourceVersion } };
    },
    { options: request.method === 'PATCH' ? 'PatchOptions' : 'UpdateOptions' },
  );
  return scaleOf(object, paths);
}

interface Scale {
  readonly metadata: { readonly resourceVersion?: string | undefined };
  readonly spec?: { readonly replicas?: number | undefined } | undefined;
}

function pathsOf({ resource }: Target): ScalePaths {
  const paths = resource.subresources.find(({ kind }) => kind === 'scale')?.scale;
  return paths ?? { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' };
}

function missing({ specReplicasPath }: ScalePaths, what: string): string {
  return `the spec replicas field "${specReplicasPath}" ${what}`.replace(
    /^the /,
    what === 'cannot be empty' ? '' : 'the ',
  );
}

function scaleOf(object: Stored, { specReplicasPath, statusReplicasPath, labelSelectorPath }: ScalePaths): unknown {
  const count = (path: string) => {
    const found = numberAt(object, path);
    return 'problem' in found ? 0 : (found.value ?? 0);
  };
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const replicas = count(specReplicasPath);
  const selector = labelSelectorPath === undefined ? '' : textAt(object, labelSelectorPath);
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, ...(namespace !== undefined && { namespace }), uid, resourceVersion, creationTimestamp },
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas: count(statusReplicasPath), ...(selector !== '' && { selector }) },
  };
}

function parsed(body: string): object {
  try {
    return JSON.parse(body);
  } catch (error) {
    throw badRequest(error instanceof Error ? error.message : String(error));
  }
}
