import { keyOf, rfc3339 } from '@isthmus/machinery';
import type { ApiRequest } from '@isthmus/kube';
import type { DeleteOptions } from '../options/delete-options.ts';
import { deleteObjectNow } from '../verbs/delete.ts';
import type { Stored } from '../store/stored.ts';
import { actionBody } from './action-body.ts';
import type { Answer } from '../answer/answer.ts';
import { jsonAnswer, withWarnings } from '../answer/answer.ts';
import type { Core } from '../core/core.ts';
import type { Target, WriteTarget } from '../core/target.ts';
import { badRequest, conflict, notFound, unexplained } from '../refusal/refusal.ts';

/** `pods/binding` and `pods/eviction`; undefined for any other subresource. */
export async function podAction(core: Core, target: Target, request: ApiRequest): Promise<Answer | undefined> {
  if (target.resource.storageKey !== '/pods') return undefined;
  if (target.subresource === 'binding') {
    const { body, warnings, dryRun, admitted } = actionBody(target, request, 'Binding');
    if (body.metadata.name !== target.name) throw badRequest('name in URL does not match name in Binding object');
    const binding = await admitted(core, placed(target, body));
    return withWarnings(warnings, jsonAnswer(201, bindPod(core, target, { body: binding, dryRun })));
  }
  if (target.subresource === 'eviction') return evictPod(core, target, request);
  return undefined;
}

const done = (code: number) => ({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code });

/**
 * Gives the Pod that the Binding names its node: once, and never a Pod that waits for its gates or
 * for its end. Returns a Status.
 */
export function bindPod(
  core: Core,
  { namespace }: Target,
  { body, dryRun }: { readonly body: Stored; readonly dryRun: boolean },
): object {
  const node = (body['target'] ?? {}) as { readonly kind?: string | undefined; readonly name?: string | undefined };
  const { name, annotations, labels } = body.metadata;
  const kind = node.kind ?? '';
  if (kind !== '' && kind !== 'Node') {
    throw unexplained(`target.kind: Unsupported value: ${JSON.stringify(kind)}: supported values: "Node", "<empty>"`);
  }
  if ((node.name ?? '') === '') throw unexplained('target.name: Required value');
  const pod = core.store.get('/pods', keyOf({ namespace, name }));
  if (pod === undefined) throw notFound({ group: '', plural: 'pods' }, name);
  const { nodeName = '', schedulingGates = [] } = pod['spec'] as {
    readonly nodeName?: string;
    readonly schedulingGates?: readonly unknown[];
  };
  const refuse = (why: string) => conflict({ group: '', plural: 'pods/binding' }, name, why);
  if (pod.metadata.deletionTimestamp !== undefined) {
    throw refuse(`pod ${name} is being deleted, cannot be assigned to a host`);
  }
  if (nodeName !== '') throw refuse(`pod ${name} is already assigned to node ${JSON.stringify(nodeName)}`);
  if (schedulingGates.length > 0) throw refuse(`pod ${name} has non-empty .spec.schedulingGates`);
  if (!dryRun) {
    const given = { ...(annotations && { annotations }), ...(labels && { labels }), node: node.name ?? '' };
    core.store.put('/pods', bound(core, pod, given));
  }
  return done(201);
}

function bound(
  core: Core,
  pod: Stored,
  { node, annotations, labels }: { readonly node: string; readonly annotations?: object; readonly labels?: object },
): Stored {
  const status = pod['status'] as { readonly conditions?: readonly { readonly type: string }[] };
  const condition = {
    type: 'PodScheduled',
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime: rfc3339(core.clock.now()),
  };
  const others = (status.conditions ?? []).filter(({ type }) => type !== 'PodScheduled');
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      ...(annotations !== undefined && { annotations: { ...pod.metadata.annotations, ...annotations } }),
      ...(labels !== undefined && { labels: { ...pod.metadata.labels, ...labels } }),
    },
    spec: { ...(pod['spec'] as object), nodeName: node },
    status: { ...status, conditions: [...others, condition] },
  };
}

/** Deletes a Pod. The sandbox has no disruption budgets that could prevent it. */
async function evictPod(core: Core, target: Target, request: ApiRequest): Promise<Answer> {
  const { body, warnings, admitted, ...asked } = actionBody(target, request, 'Eviction');
  if (body.metadata.name !== target.name) throw badRequest('name in URL does not match name in Eviction object');
  const eviction = await admitted(core, placed(target, body));
  const deleteOptions = (eviction['deleteOptions'] ?? {}) as DeleteOptions;
  const dryRun = asked.dryRun || deleteOptions.dryRun?.includes('All') === true;
  const write: WriteTarget = { ...target, subresource: undefined, dryRun, fieldManager: '', warnings: [] };
  // Admission has reviewed the eviction; the deletion is not reviewed again.
  deleteObjectNow(core, write, deleteOptions);
  return withWarnings(warnings, jsonAnswer(201, done(201)));
}

/** The object with the Namespace of its path. */
function placed({ namespace }: Target, body: Stored): Stored {
  return { ...body, metadata: { ...body.metadata, ...(namespace !== undefined && { namespace }) } };
}
