import { isTrue } from '@isthmus/schema';
import { rfc3339 } from '@isthmus/machinery';
import { deleteObjectNow } from '../verbs/delete.ts';
import { updateObjectNow } from '../verbs/update.ts';
import type { Core } from '../core/core.ts';
import type { WriteTarget } from '../core/target.ts';
import { Refusal } from '../refusal/refusal.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import { definitionsKey, withCondition } from '../definition/definition.ts';
import type { Definition } from '../definition/definition.ts';
import { namesAccepted } from './definition-names.ts';

const finalizer = 'customresourcecleanup.apiextensions.k8s.io';

/** How often a definition that waits for its objects to go looks again. */
const lookAgainMs = 5000;

/**
 * Runs the real server's own controllers for definitions. They accept names, establish definitions,
 * and delete the objects of a definition before the definition itself. Each step is a write of its
 * own, soon after the one that triggered it. They run until `stop` is called.
 */
export function runDefinitions(core: Core, resource: ServedResource): { stop(): void } {
  const { store, clock } = core;
  let over = false;
  const all = () => store.list(definitionsKey) as readonly Definition[];
  const get = (name: string) => store.get(definitionsKey, name) as Definition | undefined;
  const target = (name: string): WriteTarget => ({
    resource,
    namespace: undefined,
    name,
    subresource: 'status',
    user: { username: 'system:apiserver', groups: ['system:masters'] },
    dryRun: false,
    fieldManager: 'kube-apiserver',
    warnings: [],
  });
  const write = (name: string, change: (definition: Definition) => Definition) =>
    updateObjectNow(core, target(name), (before) => change(before as Definition));
  const later = (name: string) => void Promise.resolve().then(() => sync(name));

  const sync = (name: string): void => {
    const definition = over ? undefined : get(name);
    if (definition === undefined) return;
    try {
      step(name, definition);
    } catch (error) {
      // Another write came first, and it triggers the next step.
      if (!(error instanceof Refusal)) throw error;
    }
  };
  const step = (name: string, definition: Definition): void => {
    const now = rfc3339(clock.now());
    const named = namesAccepted(definition, all(), now);
    if (named !== undefined) {
      write(name, () => named);
      for (const other of all()) if (other.spec.group === definition.spec.group) later(other.metadata.name);
      return;
    }
    if (isTrue(definition, 'NamesAccepted') && !isTrue(definition, 'Established')) {
      write(name, (before) => withCondition(before, established, now));
      return;
    }
    const { deletionTimestamp, finalizers = [] } = definition.metadata;
    if (deletionTimestamp !== undefined && finalizers.includes(finalizer)) finish(name, definition, now);
  };
  const finish = (name: string, definition: Definition, now: string): void => {
    const storageKey = `${definition.spec.group}/${definition.spec.names.plural}`;
    if (!inProgress(definition)) {
      write(name, (before) => withCondition(before, deleting, now));
      return;
    }
    const served = core.registry.byStorageKey(storageKey);
    for (const { metadata } of served === undefined ? [] : store.list(storageKey)) {
      const { namespace, name: object } = metadata;
      if (metadata.deletionTimestamp !== undefined) continue;
      deleteObjectNow(core, { ...target(object), resource: served ?? resource, namespace, subresource: undefined }, {});
    }
    if (served !== undefined && store.list(storageKey).length > 0) {
      clock.after(lookAgainMs, () => sync(name));
      return;
    }
    const done = served === undefined ? neverEstablished : deleted;
    write(name, (before) => {
      const ended = withCondition(before, done, now);
      return {
        ...ended,
        metadata: {
          ...ended.metadata,
          finalizers: (before.metadata.finalizers ?? []).filter((one) => one !== finalizer),
        },
      };
    });
  };
  const unsubscribe = store.onChange(definitionsKey, ({ after, before }) => {
    if (after !== undefined) later(after.metadata.name);
    // Its names are free.
    else
      for (const other of all()) if (other.spec.group === (before as Definition).spec.group) later(other.metadata.name);
  });
  return {
    stop() {
      over = true;
      unsubscribe();
    },
  };
}

/**
 * A definition at the start of its deletion: with a deletion timestamp, the finalizer, and the
 * condition Terminating.
 */
export function deletionOf(definition: Definition, now: string): Definition {
  const { metadata } = definition;
  const finalizers = metadata.finalizers ?? [];
  const held = {
    ...definition,
    metadata: {
      ...metadata,
      deletionTimestamp: now,
      finalizers: finalizers.includes(finalizer) ? finalizers : [...finalizers, finalizer],
    },
  };
  return withCondition(held, pending, now);
}

function inProgress({ status }: Definition): boolean {
  return status.conditions?.some(({ reason }) => reason === deleting.reason) === true;
}

const established = {
  type: 'Established',
  status: 'True',
  reason: 'InitialNamesAccepted',
  message: 'the initial names have been accepted',
};
const pending = {
  type: 'Terminating',
  status: 'True',
  reason: 'InstanceDeletionPending',
  message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
};
const deleting = {
  type: 'Terminating',
  status: 'True',
  reason: 'InstanceDeletionInProgress',
  message: 'CustomResource deletion is in progress',
};
const deleted = {
  type: 'Terminating',
  status: 'False',
  reason: 'InstanceDeletionCompleted',
  message: 'removed all instances',
};
const neverEstablished = {
  type: 'Terminating',
  status: 'False',
  reason: 'NeverEstablished',
  message: 'resource was never established',
};
