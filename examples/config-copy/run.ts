import { ConfigMap, Namespace } from '@isthmus/api';
import type { Client, World } from '@isthmus/kube';
import { createCache, createEventRecorder, resourceOf, runController } from '@isthmus/kube';
import { configCopyController } from './reconcile.ts';

/**
 * Runs the controller until `signal` aborts: caches, Events, reconciles. The world is an argument,
 * so that tests give it a virtual one.
 */
export async function runConfigCopy(client: Client, world: World, signal: AbortSignal): Promise<void> {
  const namespaces = createCache({ ...world, client, type: Namespace });
  const configMaps = createCache({ ...world, client, type: ConfigMap });
  const events = createEventRecorder({ ...world, client, signal, component: 'config-copy', instance: 'example' });
  const controller = configCopyController({
    namespaces: resourceOf(Namespace, namespaces, client),
    configMaps: resourceOf(ConfigMap, configMaps, client),
    events,
  });
  await Promise.all([namespaces.run(signal), configMaps.run(signal), runController(controller, { ...world, signal })]);
}
