import type { ApiRequest } from '@isthmus/kube';
import { apiVersionOf, failureStatus } from '@isthmus/machinery';
import type { Json } from '@isthmus/schema';
import { apply } from '../ownership/apply.ts';
import { withManagedFields } from '../ownership/track-update.ts';
import type { ManagedFieldsEntry } from '../ownership/managers.ts';
import type { Core } from '../core/core.ts';
import type { WriteTarget } from '../core/target.ts';
import { badRequest, invalid, Refusal, unexplained } from '../refusal/refusal.ts';
import type { Stored } from '../store/stored.ts';
import { noOddities } from '../typed/parsed-json.ts';
import { parseYamlBody, repeatedKeysError } from '../typed/parse-yaml-body.ts';
import { asJson } from '../objects/as-json.ts';
import { decoded } from '../objects/decode.ts';
import { trackOptions } from '../objects/tracking.ts';
import { updateObject } from './update.ts';
import { addressed } from './write.ts';
import type { Written } from './update.ts';

/** Whether a patch is server-side apply. */
export function isApply({ headers }: ApiRequest): boolean {
  return (headers?.['content-type'] ?? '').split(';')[0]?.trim() === 'application/apply-patch+yaml';
}

/** The function that applies the request to an object, or creates one: with its managed fields. */
export function applicationOf(
  core: Core,
  target: WriteTarget,
  request: ApiRequest,
): (live: Stored | undefined) => Stored {
  const { resource } = target;
  const manager = request.query?.['fieldManager'] ?? '';
  const errors = manager === '' ? [managerRequired] : [];
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'PatchOptions' }, '', errors);
  const configuration = configurationOf(target, request.body ?? '');
  const force = request.query?.['force'] === 'true';
  return (live) => {
    const apiVersion = apiVersionOf(resource);
    const given = live === undefined ? { apiVersion, kind: resource.kind } : live;
    const options = { ...trackOptions(core, target), kind: resource.kind, force };
    const result = apply(asJson(given as Stored), configuration, options);
    switch (result.kind) {
      case 'conflicts':
        throw new Refusal(failureStatus({ ...result.failure, details: result.failure.details ?? {} }));
      case 'refused':
        throw result.code === 400 ? badRequest(result.message) : unexplained(result.message);
      case 'applied':
        return owned(target, result.object, result.managedFields);
    }
  };
}

/** Applies a configuration: server-side apply. Creates the object if it does not exist. */
export async function applyPatch(core: Core, target: WriteTarget, request: ApiRequest): Promise<Written> {
  const merged = applicationOf(core, target, request);
  return updateObject(core, target, (before) => addressed(target, merged(before)), {
    options: 'PatchOptions',
    ...(target.subresource === undefined && { createFrom }),
    tracked: true,
  });
  function createFrom(): Stored {
    const object = merged(undefined);
    if ((object.metadata.uid ?? '') !== '') throw uidOfNothing(target, object);
    return addressed(target, object);
  }
}

const managerRequired = {
  path: 'fieldManager',
  type: 'Required',
  value: '',
  detail: 'is required for apply patch',
} as const;

function configurationOf(target: WriteTarget, body: string): Readonly<Record<string, Json>> {
  const converting = 'error converting YAML to JSON';
  const read = parseYamlBody(body);
  if (read.kind === 'malformed') throw badRequest(`error decoding YAML: ${converting}: ${read.message}`);
  const { value, repeatedKeys = [] } = read.json;
  if (repeatedKeys.length > 0 && target.fieldValidation === 'Strict') {
    throw badRequest(`error strict decoding YAML: ${converting}: ${repeatedKeysError(repeatedKeys)}`);
  }
  if (target.fieldValidation === 'Warn') target.warnings.push(...repeatedKeys);
  return (typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}) as Readonly<
    Record<string, Json>
  >;
}

function owned(
  target: WriteTarget,
  object: Readonly<Record<string, Json>>,
  managedFields: readonly ManagedFieldsEntry[] | undefined,
): Stored {
  const { resource } = target;
  const { namespace = '', name = '' } = (object['metadata'] ?? {}) as {
    readonly namespace?: string;
    readonly name?: string;
  };
  const type = `${resource.group}/${resource.version}, Kind=${resource.kind}`;
  const refuse = (why: string) =>
    unexplained(
      `failed to convert new object (${namespace}/${name}; ${type}) to proper version: unable to convert unstructured object to ${type}: error decoding from json: ${why}`,
    );
  const { object: next } = decoded(resource, { value: object, oddities: noOddities }, refuse);
  return withManagedFields(asJson(next), managedFields) as unknown as Stored;
}

function uidOfNothing({ resource, name }: WriteTarget, { metadata }: Stored): Error {
  const why = `uid mismatch: the provided object specified uid ${metadata.uid}, and no existing object was found`;
  return new Refusal(
    failureStatus({
      reason: 'Conflict',
      message: `Operation cannot be fulfilled on ${resource.plural} ${JSON.stringify(name)}: ${why}`,
      details: { name, kind: resource.plural, ...(resource.group !== '' && { group: resource.group }) },
    }),
  );
}
