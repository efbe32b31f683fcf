import type { ServiceImport } from '@isthmus/api';
import { keyOfObject, rfc3339 } from '@isthmus/machinery';
import type { LocalCluster } from '../local/services.ts';
import type { ImportStatusInput } from './decide.ts';
import { importStatus } from './decide.ts';
import { isServed } from './slices/write-slices.ts';

/**
 * Writes the status of a ServiceImport of ours. It is written after its Service and slices, so that
 * the endpoints in it exist.
 */
export async function writeImportStatus(
  local: LocalCluster,
  serviceImport: ServiceImport,
  found: Pick<ImportStatusInput, 'clusters' | 'problem'>,
  signal: AbortSignal,
): Promise<void> {
  const hasEndpoints = isServed(local, keyOfObject(serviceImport));
  const now = rfc3339(local.world.clock.now());
  const status = importStatus({ serviceImport, ...found, hasEndpoints, now });
  await local.serviceImports.changeStatus(serviceImport, status, signal);
}
