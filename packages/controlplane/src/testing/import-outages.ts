import { EndpointSlice, Label, managedByIsthmus } from '@isthmus/api';
import type { VirtualCluster } from '@isthmus/fleet-sim';
import type { NamespacedRef } from '@isthmus/testkit';
import { cart } from '@isthmus/fleet-sim';

/**
 * Watches the endpoints of an imported Service, by default `shop/cart`, in one cluster, by source
 * cluster and at each write. Two things are reported to `breach`. The first is a source without
 * endpoints although `mayEmpty` does not allow it. The second is an endpoint that comes back after
 * it was gone, which is never allowed: connections to it were lost in between.
 */
export function watchOutages(
  { name, server: { admin } }: VirtualCluster,
  mayEmpty: (source: string) => boolean,
  breach: (what: string) => void,
  service: NamespacedRef = cart,
): void {
  let before = servedBySource();
  const gone = new Set<string>();
  admin.onChange(({ resource }) => {
    if (resource !== 'discovery.k8s.io/endpointslices') return;
    const after = servedBySource();
    for (const [source, served] of before) {
      const left = after.get(source) ?? new Set();
      for (const one of served) if (!left.has(one)) gone.add(`${source}: ${one}`);
      if (left.size === 0 && !mayEmpty(source)) breach(`${name}: nothing of ${source} serves any more`);
    }
    for (const [source, served] of after) {
      for (const one of served) {
        if (gone.delete(`${source}: ${one}`)) breach(`${name}: ${one} of ${source} was gone for a while`);
      }
    }
    before = after;
  });

  /**
   * The ready endpoints by source cluster, as `address port name:number`. A source without ready
   * endpoints is missing.
   */
  function servedBySource(): ReadonlyMap<string, ReadonlySet<string>> {
    const served = new Map<string, Set<string>>();
    for (const { metadata, endpoints, ports } of admin.list(EndpointSlice, service.namespace)) {
      const { labels = {} } = metadata;
      if (labels[Label.managedBy] !== managedByIsthmus || labels[Label.mcsServiceName] !== service.name) continue;
      const source = labels[Label.mcsSourceCluster] ?? '';
      const ready = (endpoints ?? []).filter(({ conditions }) => conditions?.ready !== false);
      for (const address of ready.flatMap(({ addresses }) => addresses)) {
        for (const port of ports ?? []) {
          const ofSource = served.get(source) ?? new Set();
          served.set(source, ofSource.add(`${address} port ${port.name ?? ''}:${port.port ?? ''}`));
        }
      }
    }
    return served;
  }
}
