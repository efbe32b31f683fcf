import { Annotation, Endpoints } from '@isthmus/api';
import type { Client } from '@isthmus/kube';
import { isConflict, isNotFound } from '@isthmus/kube';
import type { ObjectRef } from '@isthmus/machinery';

/**
 * Removes the Endpoints object that an Antrea member made for an imported Service, after our EndpointSlices have taken its place
 * (docs/spec/membership.md §8). Anything without Antrea's annotation is left alone; one that is gone is no error.
 */
export async function removeAntreaEndpoints(client: Client, ref: ObjectRef, signal: AbortSignal): Promise<void> {
  try {
    const found = await client.get(Endpoints, ref, { signal });
    if (found.metadata.annotations?.[Annotation.importedService] === undefined) return;
    const uid = found.metadata.uid;
    await client.delete(Endpoints, ref, { signal, preconditions: uid === undefined ? undefined : { uid } });
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}
