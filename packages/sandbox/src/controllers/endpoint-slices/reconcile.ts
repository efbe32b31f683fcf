import { EndpointSlice, Service } from '@isthmus/api';
import type { Client, Reconciler } from '@isthmus/kube';
import { defineReconciler, done, from } from '@isthmus/kube';
import { keyOfObject } from '@isthmus/machinery';
import { Node, Pod } from '../kinds.ts';
import type { SharedCaches } from '../shared-caches.ts';
import { Index } from '../shared-caches.ts';
import { writeSlices } from './write-slices.ts';
import { serviceOfSlice } from './service-of-slice.ts';
import { createChangeTimes } from './change-times.ts';
import { endpointGroups, isSliced, selects } from './endpoints-of.ts';
import { planSlices, sliceManager } from './plan.ts';

/**
 * Keeps EndpointSlices for Services with a selector. Left out: the second family of a dual-stack
 * Service, topology hints, Endpoints objects, and Events.
 */
export function endpointSliceController(client: Client, caches: SharedCaches): Reconciler {
  const services = caches.of(Service);
  const pods = caches.of(Pod);
  const nodes = caches.of(Node);
  const slices = caches.of(EndpointSlice);
  const times = createChangeTimes();
  const servicesOf = (pod: Pod) =>
    services.cache
      .list(pod.metadata.namespace)
      .filter((service) => selects(service, pod))
      .map(keyOfObject);
  const ownServiceOf = (slice: EndpointSlice) => serviceOfSlice(slice, sliceManager);
  return defineReconciler({
    name: 'endpoint-slice',
    sources: [
      from(services.cache, (service) => [keyOfObject(service)]),
      from(pods.cache, servicesOf),
      from(slices.cache, ownServiceOf),
      from(nodes.cache, ({ metadata }) => pods.cache.byIndex(Index.node, metadata.name).flatMap(servicesOf)),
    ],
    access: [
      { at: 'local', type: Service, scope: 'all', verbs: ['list', 'watch'] },
      { at: 'local', type: Pod, scope: 'all', verbs: ['list', 'watch'] },
      { at: 'local', type: Node, scope: 'all', verbs: ['list', 'watch'] },
      { at: 'local', type: EndpointSlice, scope: 'all', verbs: ['list', 'watch', 'create', 'update', 'delete'] },
    ],
    async reconcile(key, { signal }) {
      const service = services.cache.getByKey(key);
      if (service === undefined) times.forget(key);
      // Slices of a Service that is gone go with it, by their owner reference.
      if (service === undefined || service.metadata.deletionTimestamp !== undefined || !isSliced(service)) return done;
      const { namespace } = service.metadata;
      const selected = pods.cache.list(namespace).filter((pod) => selects(service, pod));
      const current = slices.cache
        .byIndex(Index.service, key)
        .filter((slice) => ownServiceOf(slice).includes(key) && slice.metadata.deletionTimestamp === undefined);
      const groups = endpointGroups(service, selected, (name) => nodes.cache.getByKey(name));
      const plan = planSlices({ service, current, groups, changedAt: times.note(key, service, selected) });
      await writeSlices(plan, { client, caches, signal });
      return done;
    },
  });
}
