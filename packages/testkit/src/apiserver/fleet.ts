import type { ApiServerOptions, RealApiServer } from './api-server.ts';
import { startApiServer } from './start.ts';

/** Clusters by their names; disposing stops all of them. */
export type RealApiServers<Name extends string> = Readonly<Record<Name, RealApiServer>> & AsyncDisposable;

/**
 * Starts several clusters in parallel: `{ north: {}, east: { controllerManager: true } }`. By
 * default, the n-th gets the Service network 10.(96+n).0.0/16, so that no two overlap.
 *
 * Guarantees: if one does not start, the others are stopped and nothing is left. Errors: that of
 * the first that failed.
 */
export async function startApiServers<const Name extends string>(
  specs: Readonly<Record<Name, Omit<ApiServerOptions, 'name'>>>,
): Promise<RealApiServers<Name>> {
  const names = Object.keys(specs) as Name[];
  const failed = new AbortController();
  const starts = await Promise.allSettled(
    names.map(async (name, index) => {
      const spec = specs[name];
      const signal = spec.signal === undefined ? failed.signal : AbortSignal.any([spec.signal, failed.signal]);
      try {
        return await startApiServer({ serviceCIDR: `10.${96 + index}.0.0/16`, ...spec, name, signal });
      } catch (error) {
        failed.abort(error);
        throw error;
      }
    }),
  );
  const servers = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
  const stopAll = async () => {
    await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()));
  };
  if (failed.signal.aborted) {
    await stopAll();
    throw failed.signal.reason;
  }
  const byName = Object.fromEntries(servers.map((server) => [server.name, server])) as Record<Name, RealApiServer>;
  return { ...byName, [Symbol.asyncDispose]: stopAll };
}
