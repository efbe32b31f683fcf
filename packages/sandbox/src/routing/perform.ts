import type { ApiRequest } from '@isthmus/kube';
import type { Actions } from '../actions/actions.ts';
import type { Answer } from '../answer/answer.ts';
import { jsonAnswer, withWarnings } from '../answer/answer.ts';
import type { Negotiated } from '../answer/negotiate.ts';
import type { Core } from '../core/core.ts';
import type { Target, WriteTarget } from '../core/target.ts';
import type { Encoding } from '../encoding/encoding.ts';
import { decodeDeleteOptions, decodeObject } from '../objects/decode.ts';
import { trackedUpdate } from '../objects/tracking.ts';
import { checkNumbers, checkVersionOfGet, listOptionsOf } from '../options/list-options.ts';
import type { DeleteOptions } from '../options/delete-options.ts';
import type { ListOptions } from '../options/list-options.ts';
import { checkSelectors, selectionOf } from '../options/selection.ts';
import { fieldManagerOf, writeOptionsOf } from '../options/write-options.ts';
import { withWarningsSent } from '../refusal/refusal.ts';
import type { ServedResource, Subresource } from '../registry/served-resource.ts';
import type { ResourceVerb } from '../request/verbs.ts';
import { readScale, writeScale } from '../scale/scale.ts';
import type { Stored } from '../store/stored.ts';
import { createObject, namespaceOf } from '../verbs/create.ts';
import { deleteCollection } from '../verbs/delete-collection.ts';
import { deleteObject } from '../verbs/delete.ts';
import { getObject } from '../verbs/get.ts';
import { listPage } from '../verbs/list.ts';
import type { View } from '../verbs/list.ts';
import { patchObject } from '../verbs/patch.ts';
import { putObject } from '../verbs/update.ts';
import { openWatch } from '../verbs/watch.ts';
import { writeOptions } from '../verbs/write.ts';
import { encodingOf, formatted } from './response-form.ts';

/** A request about objects that are served, on the way to its verb. */
export interface Work {
  readonly verb: ResourceVerb;
  readonly request: ApiRequest;
  readonly target: Target;
  /** The subresource that the path names. */
  readonly subresource: Subresource | undefined;
  readonly form: Negotiated;
  readonly whole: Encoding;
  readonly actions: Actions;
}

/** A request as its verb answers it. */
interface Performance extends Work {
  readonly core: Core;
  readonly query: Readonly<Record<string, string>>;
  readonly encoding: Encoding;
  /** Texts for `Warning` headers, which are added to. */
  readonly warnings: string[];
  readonly sent: (status: number, text: string) => Answer;
  readonly about: (status: number, object: Stored) => Answer;
}

type Performer = (performance: Performance) => Promise<Answer>;

/** Answers a request. Warnings are also sent with a rejection. */
export async function perform(core: Core, work: Work): Promise<Answer> {
  const { form, request, target, verb, subresource } = work;
  const { resource } = target;
  const warnings: string[] = resource.deprecation === undefined ? [] : [resource.deprecation];
  try {
    const query = request.query ?? {};
    const now = () => core.clock.now();
    const encoding = encodingOf({ ...work, now, includeObject: query['includeObject'] ?? '' });
    const sent = (status: number, text: string) => withWarnings(warnings, formatted(form, status, text));
    const about = (status: number, object: Stored) => sent(status, encoding.object(resource, object));
    const own = subresource?.kind === 'scale' ? ofScales : resource.virtual === true ? ofQuestions : {};
    return await (own[verb] ?? ofObjects[verb])({ ...work, core, query, encoding, warnings, sent, about });
  } catch (error) {
    throw withWarningsSent(error, warnings);
  }
}

/** The handlers of the verbs for objects. */
const ofObjects: Readonly<Record<ResourceVerb, Performer>> = {
  async get({ core, target, query, about }) {
    checkVersionOfGet(query);
    return about(200, await getObject(core, target));
  },
  async list(performance) {
    const { core, target, encoding, sent } = performance;
    const { list, view } = listOf(performance, false);
    const { items, metadata } = await listPage(core, view, list);
    return sent(200, encoding.list(target.resource, items, metadata));
  },
  async watch(performance) {
    const { core, warnings } = performance;
    const { list, view } = listOf(performance, true);
    const body = openWatch(core, view, list);
    return withWarnings(warnings, { status: 200, contentType: 'application/json', body });
  },
  async create(performance) {
    const write = writeTargetOf(performance, 'CreateOptions');
    return performance.about(
      201,
      await createObject(performance.core, write, decodeObject(write, performance.request)),
    );
  },
  async update(performance) {
    const { core, request, about } = performance;
    const write = writeTargetOf(performance, 'UpdateOptions');
    const { object, created } = await putObject(core, write, decodeObject(write, request));
    return about(created ? 201 : 200, object);
  },
  async patch(performance) {
    const { core, request, about } = performance;
    const { object, created } = await patchObject(core, writeTargetOf(performance, 'PatchOptions'), request);
    return about(created ? 201 : 200, object);
  },
  async delete(performance) {
    const { core, target, about, sent } = performance;
    const { write, options } = deletionOf(performance);
    const { object, gone } = await deleteObject(core, write, options);
    return gone && !target.resource.strategy.deleteReturnsObject
      ? sent(200, JSON.stringify(deletedStatus(target.resource, object)))
      : about(200, object);
  },
  async deletecollection(performance) {
    const { core, target, encoding, sent } = performance;
    const { write, options } = deletionOf(performance);
    const { list, view } = listOf(performance, false);
    const { items, metadata } = await deleteCollection(core, write, { view, list, options });
    return sent(200, encoding.list(target.resource, items, metadata));
  },
};

/** The handlers of the verbs for a Scale, if they differ from those for objects. */
const ofScales: Partial<Readonly<Record<ResourceVerb, Performer>>> = {
  async get({ core, target, query, warnings }) {
    checkVersionOfGet(query);
    return withWarnings(warnings, jsonAnswer(200, await readScale(core, target)));
  },
  update: async (performance) =>
    jsonAnswer(
      200,
      await writeScale(performance.core, writeTargetOf(performance, 'UpdateOptions'), performance.request),
    ),
  patch: async (performance) =>
    jsonAnswer(
      200,
      await writeScale(performance.core, writeTargetOf(performance, 'PatchOptions'), performance.request),
    ),
};

/** The handlers of kinds that are answered and not stored: reviews, bindings. */
const ofQuestions: Partial<Readonly<Record<ResourceVerb, Performer>>> = {
  async create(performance) {
    const { core, target, request, actions, about } = performance;
    const write = writeTargetOf(performance, 'CreateOptions');
    const given = decodeObject(write, request);
    const placed = { ...given, metadata: namespaceOf(write, given) };
    const tracked = trackedUpdate(core, write, undefined, placed);
    const review = { operation: 'CREATE', target: write, options: writeOptions('CreateOptions', write) } as const;
    const asked = (await core.admission.mutate(core, { ...review, object: tracked })) ?? tracked;
    await core.admission.validate(core, { ...review, object: asked });
    return about(201, actions.review(core, target, asked, write.dryRun));
  },
};

/** The selection and options of a list or watch. Errors come in the order of the real server. */
function listOf(
  { query, encoding, target: { resource, namespace } }: Performance,
  watch: boolean,
): { readonly list: ListOptions; readonly view: View } {
  checkNumbers(query);
  checkSelectors(query);
  const list = listOptionsOf(query, watch);
  return { list, view: { resource, encoding, selection: selectionOf(resource, { namespace }, query) } };
}

function writeTargetOf(
  { request, target, query, warnings }: Performance,
  kind: 'CreateOptions' | 'UpdateOptions' | 'PatchOptions',
): WriteTarget {
  const { dryRun, fieldValidation } = writeOptionsOf(kind, query);
  const fieldManager = fieldManagerOf(request);
  const named = (query['fieldManager'] ?? '') === '' ? undefined : fieldManager;
  return { ...target, dryRun, fieldValidation, fieldManager, namedFieldManager: named, warnings };
}

function deletionOf({ request, target, warnings }: Performance): {
  readonly write: WriteTarget;
  readonly options: DeleteOptions;
} {
  const options = decodeDeleteOptions(request);
  const dryRun = options.dryRun?.includes('All') === true;
  return { write: { ...target, dryRun, fieldManager: '', warnings }, options };
}

function deletedStatus({ group, plural }: ServedResource, { metadata }: Stored): unknown {
  const { name, uid } = metadata;
  const details = { name, ...(group !== '' && { group }), kind: plural, uid };
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details };
}
