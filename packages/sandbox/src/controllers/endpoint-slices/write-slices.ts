import { EndpointSlice } from '@isthmus/api';
import type { Client } from '@isthmus/kube';
import { isNamespaceTerminating } from '@isthmus/kube';
import type { SharedCaches } from '../shared-caches.ts';
import type { SlicePlan } from './plan.ts';

interface Writer {
  readonly client: Client;
  readonly caches: SharedCaches;
  readonly signal: AbortSignal;
}

/** Carries out a plan. In a Namespace that terminates, nothing is created any more. */
export async function writeSlices(plan: SlicePlan, { client, caches, signal }: Writer): Promise<void> {
  const slices = caches.of(EndpointSlice);
  try {
    for (const slice of plan.create) await slices.create(slice, signal);
    // Whole: an empty list is `null` on the wire, which a merge patch can not write.
    for (const slice of plan.update) caches.wrote(EndpointSlice, await client.update(EndpointSlice, slice, { signal }));
    for (const slice of plan.delete) await slices.delete(slice, signal);
  } catch (error) {
    if (!isNamespaceTerminating(error)) throw error;
  }
}
