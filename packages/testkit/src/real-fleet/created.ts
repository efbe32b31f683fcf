import { Namespace } from '@isthmus/api';
import type { Client } from '@isthmus/kube';
import { isAlreadyExists } from '@isthmus/kube';
import type { KubernetesObject, ResourceType } from '@isthmus/machinery';
import { untilAnswered } from './install.ts';

/**
 * Creates an object of the set-up. It may exist already: a test created it before, or an answer did
 * not arrive.
 */
export async function created<T extends KubernetesObject>(
  admin: Client,
  type: ResourceType<T>,
  object: T,
): Promise<void> {
  await untilAnswered(() => admin.create(type, object)).catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error;
  });
}

export async function createNamespace(admin: Client, name: string): Promise<void> {
  await created(admin, Namespace, { metadata: { name } });
}
