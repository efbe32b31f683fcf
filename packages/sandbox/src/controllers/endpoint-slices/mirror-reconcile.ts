import { Endpoints, EndpointSlice, Service } from '@isthmus/api';
import type { Client, Reconciler } from '@isthmus/kube';
import { defineReconciler, done, from } from '@isthmus/kube';
import { keyOfObject } from '@isthmus/machinery';
import type { SharedCaches } from '../shared-caches.ts';
import { Index } from '../shared-caches.ts';
import { writeSlices } from './write-slices.ts';
import { serviceOfSlice } from './service-of-slice.ts';
import { mayBeMirrored, mirrorManager, planMirror } from './mirror.ts';

/**
 * Keeps EndpointSlices for Endpoints that a client has written for a Service without a selector:
 * clients of today read slices alone. Left out: Events of addresses that are not mirrored.
 */
export function endpointSliceMirroringController(client: Client, caches: SharedCaches): Reconciler {
  const endpoints = caches.of(Endpoints);
  const services = caches.of(Service);
  const slices = caches.of(EndpointSlice);
  const mirroredFor = (slice: EndpointSlice) => serviceOfSlice(slice, mirrorManager);
  return defineReconciler({
    name: 'endpoint-slice-mirroring',
    sources: [
      from(endpoints.cache, (one) => [keyOfObject(one)]),
      from(services.cache, (service) => [keyOfObject(service)]),
      from(slices.cache, mirroredFor),
    ],
    access: [
      { at: 'local', type: Endpoints, scope: 'all', verbs: ['list', 'watch'] },
      { at: 'local', type: Service, scope: 'all', verbs: ['list', 'watch'] },
      { at: 'local', type: EndpointSlice, scope: 'all', verbs: ['list', 'watch', 'create', 'update', 'delete'] },
    ],
    async reconcile(key, { signal }) {
      const current = slices.cache
        .byIndex(Index.service, key)
        .filter((slice) => mirroredFor(slice).includes(key) && slice.metadata.deletionTimestamp === undefined);
      const given = endpoints.cache.getByKey(key);
      const service = services.cache.getByKey(key);
      const mirrors =
        given !== undefined &&
        given.metadata.deletionTimestamp === undefined &&
        mayBeMirrored(given) &&
        service !== undefined &&
        service.spec?.selector === undefined;
      const plan = mirrors ? planMirror(given, current) : { create: [], update: [], delete: current };
      await writeSlices(plan, { client, caches, signal });
      return done;
    },
  });
}
