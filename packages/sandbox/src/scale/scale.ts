import type { ApiRequest } from '@isthmus/kube';
import { numberAt, textAt, withNumberAt } from './scale-paths.ts';
import type { ScalePaths } from '../definition/definition.ts';
import type { Core } from '../core/core.ts';
import type { Target, WriteTarget } from '../core/target.ts';
import { badRequest, internalError, unexplained } from '../refusal/refusal.ts';
import { scaleObject } from './scale-object.ts';
import type { Stored } from '../store/stored.ts';
import { readBuiltInScale, writeBuiltInScale } from './built-in-scale.ts';
import { getObject } from '../verbs/get.ts';
import { isApply } from '../verbs/apply.ts';
import { unknownFormat } from '../verbs/patch.ts';
import { registryKey } from '../verbs/preconditions.ts';

/**
 * The `Scale` of an object (autoscaling/v1). Errors: 500 if the object has no replicas, as on the
 * real server.
 */
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

/**
 * Sets the replicas of an object through its `Scale`, replaced or patched. Of custom kinds the real
 * server cannot apply it either.
 */
export async function writeScale(core: Core, target: WriteTarget, request: ApiRequest): Promise<unknown> {
  if (target.resource.origin === 'built-in') return writeBuiltInScale(core, target, request);
  const isPatch = request.method === 'PATCH';
  if (isPatch && isApply(request)) {
    throw unexplained(
      `failed to convert new object (/${target.name}; autoscaling/v1, Kind=Scale) to proper version: request to convert CR to an invalid group/version: autoscaling/v1`,
    );
  }
  const type = (request.headers?.['content-type'] ?? '').split(';')[0]?.trim();
  if (isPatch && type === 'application/strategic-merge-patch+json') throw unknownFormat(target);
  const paths = pathsOf(target);
  return writeBuiltInScale(core, target, request, {
    scaleOf: (object) => scaleOf(object, paths),
    keyOf: (object) => registryKey(target.resource, object),
    withReplicas(object, replicas) {
      if (isPatch && replicas === undefined) throw badRequest(`the ${missing(paths, 'cannot be empty')}`);
      return withNumberAt(object, paths.specReplicasPath, replicas ?? 0);
    },
  });
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

function scaleOf(object: Stored, { specReplicasPath, statusReplicasPath, labelSelectorPath }: ScalePaths): Stored {
  const count = (path: string) => {
    const found = numberAt(object, path);
    return 'problem' in found ? 0 : (found.value ?? 0);
  };
  return scaleObject(object, {
    replicas: count(specReplicasPath),
    current: count(statusReplicasPath),
    selector: labelSelectorPath === undefined ? '' : textAt(object, labelSelectorPath),
  });
}
