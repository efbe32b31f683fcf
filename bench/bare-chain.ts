// The base of row 2: the shortest way of an endpoint change that the wire allows. A watch on each
// API server, and one write per hop, of the object that the hop is about, without a cache, a
// comparison or a queue.
import type { ResourceExport as ResourceExportObject } from '@isthmus/api';
import { EndpointSlice, ResourceExport, ResourceImport } from '@isthmus/api';
import type { Client } from '@isthmus/kube';
import type { KubernetesObject, ResourceType } from '@isthmus/machinery';
import { changesOf } from './arrival.ts';

export interface BareChain {
  readonly exporter: Client;
  readonly leader: Client;
  readonly importer: Client;
  /** The Namespace of everything, in each cluster. */
  readonly namespace: string;
  /** The name of the ResourceExport, the ResourceImport and the imported slice. */
  readonly name: string;
  readonly signal: AbortSignal;
}

/**
 * Carries each change of the one slice in the exporter's Namespace to a ResourceExport, to a
 * ResourceImport, to the importer's slice, until `signal` aborts. `ready` resolves when all three
 * watches are open; `ended` rejects with what went wrong.
 */
export function runBareChain(chain: BareChain): { readonly ready: Promise<unknown>; readonly ended: Promise<unknown> } {
  const { exporter, leader, importer, namespace, name } = chain;
  const patchOf = (body: unknown) => ({ type: 'merge', body }) as const;
  const hops = [
    hop(chain, exporter, EndpointSlice, async ({ addressType, endpoints, ports }) => {
      const addresses = (endpoints ?? []).flatMap((endpoint) => endpoint.addresses).map((ip) => ({ ip }));
      const spec = {
        endpoints: { subsets: [{ addresses, ports }] },
        endpointSlices: [{ addressType, endpoints, ports }],
      };
      await leader.patch(ResourceExport, { namespace, name }, patchOf({ spec }));
    }),
    hop(chain, leader, ResourceExport, async ({ spec }: ResourceExportObject) => {
      const body = patchOf({ spec: { endpointSlices: spec?.endpointSlices } });
      await leader.patch(ResourceImport, { namespace, name }, body);
    }),
    hop(chain, leader, ResourceImport, async ({ spec }) => {
      const [slice] = spec?.endpointSlices ?? [];
      await importer.patch(EndpointSlice, { namespace, name }, patchOf({ endpoints: slice?.endpoints }));
    }),
  ];
  return {
    ready: Promise.all(hops.map(({ listed }) => listed)),
    ended: Promise.all(hops.map(({ ended }) => ended)),
  };
}

function hop<T extends KubernetesObject>(
  { namespace, signal }: BareChain,
  client: Client,
  type: ResourceType<T>,
  carry: (object: T) => Promise<void>,
): { readonly listed: Promise<void>; readonly ended: Promise<void> } {
  const { promise: listed, resolve, reject } = Promise.withResolvers<void>();
  const follow = async () => {
    for await (const { after } of changesOf({ client, type, namespace, signal }, resolve)) {
      if (after !== undefined) await carry(after);
    }
  };
  const ended = follow().catch((error: unknown) => {
    reject(error);
    if (!signal.aborted) throw error;
  });
  return { listed, ended };
}
