import { ConfigMap, Namespace } from '@isthmus/api';
import type { EventRecorder, Reconciler, Resource } from '@isthmus/kube';
import { blocked, defineReconciler, done, eventAccess, from } from '@isthmus/kube';
import { refOf } from '@isthmus/machinery';
import { copyFrom, decideCopy, outdatedCopies } from './decide.ts';

export interface ConfigCopyOptions {
  readonly namespaces: Resource<Namespace>;
  readonly configMaps: Resource<ConfigMap>;
  readonly events: EventRecorder;
}

/**
 * Keeps a copy of a ConfigMap in each Namespace that asks for one. One key per Namespace: its name.
 */
export function configCopyController({ namespaces, configMaps, events }: ConfigCopyOptions): Reconciler {
  const asking = (source: string) =>
    namespaces.cache
      .list()
      .filter(({ metadata }) => metadata.annotations?.[copyFrom] === source)
      .map(({ metadata }) => metadata.name);
  return defineReconciler({
    name: 'config-copy',
    sources: [
      from(namespaces.cache, ({ metadata }) => [metadata.name]),
      // A ConfigMap may be a copy in its own Namespace, and the source of others.
      from(configMaps.cache, ({ metadata: { namespace = '', name } }) => [
        namespace,
        ...asking(`${namespace}/${name}`),
      ]),
    ],
    access: [
      { at: 'local', type: Namespace, scope: 'all', verbs: ['list', 'watch'] },
      { at: 'local', type: ConfigMap, scope: 'all', verbs: ['list', 'watch', 'create', 'patch', 'delete'] },
      ...eventAccess('all'),
    ],
    async reconcile(name, { signal }) {
      const namespace = namespaces.cache.get({ name });
      if (namespace === undefined || namespace.metadata.deletionTimestamp !== undefined) return done;
      for (const copy of outdatedCopies(namespace, configMaps.cache.list(name))) await configMaps.delete(copy, signal);
      const wanted = refOf(namespace.metadata.annotations?.[copyFrom] ?? '');
      const present = configMaps.cache.get({ namespace: name, name: wanted.name });
      const decision = decideCopy({ namespace, source: configMaps.cache.get(wanted), present });
      switch (decision.kind) {
        case 'nothing':
          return done;
        case 'create':
          await configMaps.create(decision.object, signal);
          return done;
        case 'change':
          await configMaps.change(decision.from, decision.to, signal);
          return done;
        case 'blocked':
          return blocked(decision.reason, decision.message);
      }
    },
    async report(name, problem) {
      const namespace = namespaces.cache.get({ name });
      if (problem === undefined || namespace === undefined) return;
      events.event(namespace, { type: 'Warning', reason: problem.reason, message: problem.message });
    },
  });
}
