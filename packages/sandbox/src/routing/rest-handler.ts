import type { ApiRequest } from '@isthmus/kube';
import type { UserInfo } from '../request/user-info.ts';
import { metadataEncoding } from '../encoding/encoding.ts';
import type { Encoding } from '../encoding/encoding.ts';
import { tableEncoding } from '../encoding/table.ts';
import type { IncludeObject } from '../encoding/table.ts';
import { answerYaml } from '../encoding/yaml.ts';
import type { ServedResource, Subresource } from '../registry/served-resource.ts';
import { createObject, namespaceOf } from '../verbs/create.ts';
import { decodeDeleteOptions, decodeObject } from '../objects/decode.ts';
import { deleteCollection } from '../verbs/delete-collection.ts';
import { deleteObject } from '../verbs/delete.ts';
import { getObject } from '../verbs/get.ts';
import { listPage } from '../verbs/list.ts';
import type { View } from '../verbs/list.ts';
import { checkNumbers, checkVersionOfGet, listOptionsOf } from '../options/list-options.ts';
import type { ListOptions } from '../options/list-options.ts';
import { patchObject } from '../verbs/patch.ts';
import { readScale, writeScale } from '../scale/scale.ts';
import { checkSelectors, selectionOf } from '../options/selection.ts';
import { trackedUpdate } from '../objects/tracking.ts';
import { putObject } from '../verbs/update.ts';
import { openWatch } from '../verbs/watch.ts';
import { fieldManagerOf, writeOptionsOf } from '../options/write-options.ts';
import type { Stored } from '../store/stored.ts';
import type { Answer } from '../answer/answer.ts';
import { jsonAnswer, withWarnings } from '../answer/answer.ts';
import { checkBodySize } from './body-limit.ts';
import type { Actions } from '../actions/actions.ts';
import { machineAction } from '../actions/machine-actions.ts';
import { checkNameInPath } from './name-in-path.ts';
import type { Core } from '../core/core.ts';
import type { Target, WriteTarget } from '../core/target.ts';
import { checkAcceptable, negotiate, streams } from '../answer/negotiate.ts';
import type { Negotiated } from '../answer/negotiate.ts';
import { methodNotAllowed, notFound, Refusal, refusalOf } from '../refusal/refusal.ts';
import type { ResourceRequest } from '../request/request-info.ts';

/** Answers requests about the objects of served resources. Authorization is done. Throws Refusals. */
export function createRestHandler(core: Core, whole: Encoding, actions: Actions): RestHandler {
  return {
    serves: (group) =>
      core.registry.all().some((resource) => resource.group === group && resource.origin === 'built-in'),
    async handle(info, request, user) {
      const resource = core.registry.find(info.group, info.version, info.resource);
      if (resource === undefined) return undefined;
      const subresource = subresourceOf(resource, info);
      if (info.subresource !== undefined && subresource === undefined && resource.origin === 'built-in')
        return machineAction(core, resource, info);
      // Below a Namespace are no objects of the cluster; without one there are only lists of what lives in Namespaces.
      const isNamespace = resource.storageKey === '/namespaces';
      if (info.namespace !== undefined && !resource.namespaced && !isNamespace) return undefined;
      if (resource.namespaced && info.namespace === undefined && info.name !== undefined) return undefined;
      if (isNamespace && info.namespace !== undefined && info.name !== info.namespace) return undefined;
      if (info.subresource !== undefined && subresource === undefined) throw withoutSubresource(resource, info);
      const everywhere = resource.namespaced && info.namespace === undefined;
      if (resource.virtual === true && info.name !== undefined) return undefined;
      if (everywhere && info.verb !== 'list' && info.verb !== 'watch') throw methodNotAllowed();
      if (!allows(resource, subresource, info) || (request.method as string) === 'HEAD') throw methodNotAllowed();
      checkAcceptable(request.headers?.['accept'], info.verb === 'list' || info.verb === 'watch' ? streams : []);
      checkBodySize(request);
      checkNameInPath(info.name);
      const target: Target = {
        resource,
        namespace: resource.namespaced ? info.namespace : undefined,
        name: info.name ?? '',
        subresource: info.subresource,
        user,
      };
      if (subresource?.kind === 'action') return actions.handle(core, target, request);
      return perform(core, {
        info,
        request,
        target,
        form: negotiate(request.headers?.['accept'], resource.virtual !== true),
        whole,
        actions,
      });
    },
  };
}

export interface RestHandler {
  /** Whether any built-in resource of the group is served: what is not there is told otherwise then. */
  serves(group: string): boolean;
  /** Undefined where no such path is served. */
  handle(info: ResourceRequest, request: ApiRequest, user: UserInfo): Promise<Answer | undefined>;
}

interface Work {
  readonly info: ResourceRequest;
  readonly request: ApiRequest;
  readonly target: Target;
  readonly form: Negotiated;
  readonly whole: Encoding;
  readonly actions: Actions;
}

/** What was odd about a request is told with its refusal too. */
async function perform(core: Core, work: Work): Promise<Answer> {
  const { deprecation } = work.target.resource;
  const warnings: string[] = deprecation === undefined ? [] : [deprecation];
  try {
    return await performed(core, work, warnings);
  } catch (error) {
    if (!(error instanceof Refusal) || warnings.length === 0) throw error;
    throw new Refusal(error.status, warnings);
  }
}

async function performed(core: Core, work: Work, warnings: string[]): Promise<Answer> {
  const { info, request, target, form } = work;
  const { resource } = target;
  const query = request.query ?? {};
  const encoding = encodingOf(core, work);
  const sent = (status: number, text: string) => withWarnings(warnings, formatted(form, status, text));
  const about = (status: number, object: Stored) => sent(status, encoding.object(resource, object));
  switch (info.verb) {
    case '':
      throw methodNotAllowed();
    case 'get':
      checkVersionOfGet(query);
      return target.subresource === 'scale'
        ? withWarnings(warnings, jsonAnswer(200, await readScale(core, target)))
        : about(200, await getObject(core, target));
    case 'list': {
      const { list, view } = listOf(work, encoding, false);
      const { items, metadata } = await listPage(core, view, list);
      return sent(200, encoding.list(resource, items, metadata));
    }
    case 'watch': {
      const { list, view } = listOf(work, encoding, true);
      const body = openWatch(core, view, list);
      return withWarnings(warnings, { status: 200, contentType: 'application/json', body });
    }
    case 'create': {
      const write = writeTargetOf(work, 'CreateOptions', warnings);
      const given = decodeObject(write, request);
      if (resource.virtual === true) {
        const placed = { ...given, metadata: namespaceOf(write, given) };
        const asked = trackedUpdate(core, write, undefined, placed);
        return about(201, work.actions.review(core, target, asked, write.dryRun));
      }
      return about(201, await createObject(core, write, given));
    }
    case 'update': {
      const write = writeTargetOf(work, 'UpdateOptions', warnings);
      if (target.subresource === 'scale') return jsonAnswer(200, await writeScale(core, write, request));
      const { object, created } = await putObject(core, write, decodeObject(write, request));
      return about(created ? 201 : 200, object);
    }
    case 'patch': {
      const write = writeTargetOf(work, 'PatchOptions', warnings);
      if (target.subresource === 'scale') return jsonAnswer(200, await writeScale(core, write, request));
      const { object, created } = await patchObject(core, write, request);
      return about(created ? 201 : 200, object);
    }
    case 'delete': {
      const options = decodeDeleteOptions(request);
      const dryRun = options.dryRun?.includes('All') === true;
      const write: WriteTarget = { ...target, dryRun, fieldManager: '', warnings };
      const { object, gone } = await deleteObject(core, write, options);
      return gone && !resource.strategy.deleteReturnsObject
        ? withWarnings(warnings, formatted(form, 200, JSON.stringify(deletedStatus(resource, object))))
        : about(200, object);
    }
    case 'deletecollection': {
      const options = decodeDeleteOptions(request);
      const dryRun = options.dryRun?.includes('All') === true;
      const write: WriteTarget = { ...target, dryRun, fieldManager: '', warnings };
      const { list, view } = listOf(work, encoding, false);
      const { items, metadata } = await deleteCollection(core, write, { view, list, options });
      return sent(200, encoding.list(resource, items, metadata));
    }
  }
}

/** Which objects of a collection are asked for, and how. What is wrong is told in the order of the real server. */
function listOf(
  { request: { query = {} }, target: { resource, namespace } }: Work,
  encoding: Encoding,
  watch: boolean,
): { readonly list: ListOptions; readonly view: View } {
  checkNumbers(query);
  checkSelectors(query);
  const list = listOptionsOf(query, watch);
  return { list, view: { resource, encoding, selection: selectionOf(resource, { namespace }, query) } };
}

function writeTargetOf(
  { request, target }: Work,
  kind: 'CreateOptions' | 'UpdateOptions' | 'PatchOptions',
  warnings: string[],
): WriteTarget {
  const { dryRun, fieldValidation } = writeOptionsOf(kind, request.query ?? {});
  const fieldManager = fieldManagerOf(request);
  const named = (request.query?.['fieldManager'] ?? '') === '' ? undefined : fieldManager;
  return { ...target, dryRun, fieldValidation, fieldManager, namedFieldManager: named, warnings };
}

function encodingOf(core: Core, { form, whole, request, info, target }: Work): Encoding {
  if (form.as === 'metadata' || form.as === 'metadata-list') {
    checkMetadataForm(form.as, info, target);
    return metadataEncoding;
  }
  if (form.as === 'object') return whole;
  const include = request.query?.['includeObject'] ?? '';
  if (include !== '' && !['None', 'Metadata', 'Object'].includes(include)) {
    const why = `Invalid value: ${JSON.stringify(include)}: must be 'Metadata', 'Object', 'None', or empty`;
    throw refusalOf('BadRequest', `Unable to convert to Table as requested: includeObject: ${why}`);
  }
  return tableEncoding(() => core.clock.now(), (include === '' ? 'Metadata' : include) as IncludeObject);
}

/** Metadata is asked for of one object, or of a list. */
function checkMetadataForm(as: 'metadata' | 'metadata-list', { verb }: ResourceRequest, { resource }: Target): void {
  const isList = verb === 'list' || verb === 'deletecollection';
  if (verb === 'watch' || isList === (as === 'metadata-list')) return;
  const { origin, group, kind } = resource;
  const suffix = isList ? 'List' : '';
  const goPackage = group === '' ? 'core' : (group.split('.')[0] ?? '');
  const type = origin === 'custom' ? `*unstructured.Unstructured${suffix}` : `*${goPackage}.${kind}${suffix}`;
  const message = isList
    ? `you requested PartialObjectMetadata, but the requested object is a list (${type})`
    : `you requested PartialObjectMetadataList, but the requested object is not a list (${type})`;
  throw refusalOf('NotAcceptable', message);
}

function formatted({ format }: Negotiated, status: number, text: string): Answer {
  return format === 'json'
    ? { status, contentType: 'application/json', body: text }
    : { status, contentType: 'application/yaml', body: answerYaml(JSON.parse(text)) };
}

function subresourceOf({ subresources }: ServedResource, { subresource }: ResourceRequest): Subresource | undefined {
  return subresource === undefined ? undefined : subresources.find(({ name }) => name === subresource);
}

/** Objects are created in their collection, and changed under their names. */
function allows(resource: ServedResource, subresource: Subresource | undefined, info: ResourceRequest): boolean {
  const { verb, name } = info;
  if (verb === 'create' && name !== undefined && subresource?.kind !== 'action') return false;
  if ((verb === 'update' || verb === 'patch') && name === undefined) return false;
  if (resource.namespaced && info.namespace === undefined && verb === 'deletecollection') return false;
  return info.verb !== '' && (subresource ?? resource).verbs.includes(info.verb);
}

/** Of a subresource that a custom kind has not, the real server says that there is no such object. */
function withoutSubresource(resource: ServedResource, { name = '' }: ResourceRequest): Refusal {
  const { deprecation } = resource;
  return new Refusal(notFound(resource, name).status, deprecation === undefined ? [] : [deprecation]);
}

function deletedStatus({ group, plural }: ServedResource, { metadata }: Stored): unknown {
  const { name, uid } = metadata;
  const details = { name, ...(group !== '' && { group }), kind: plural, uid };
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details };
}
