import type { Service, ServiceExport } from '@isthmus/api';
import type { Address, Cidr } from '@isthmus/machinery';
import { addressText, contains, parseAddress } from '@isthmus/machinery';
import { isImported, serviceKey } from './service-keys.ts';

/** The addresses of all Services of this cluster. */
export interface ClusterIPs {
  /** One that is in a range. */
  firstIn(cidr: Cidr): OwnClusterIP | undefined;
}

interface OwnClusterIP {
  readonly address: Address;
  /** Of the Service: `<Namespace>/<name>`. */
  readonly name: string;
}

/** Reads the addresses of Services. A cluster has thousands of both clusters' ranges and Services, so they are in an order in which a range is found. */
export function readClusterIPs(services: readonly Service[]): ClusterIPs {
  const sorted = services
    .flatMap((service) => clusterIPsOf(service).map((address) => ({ address, name: serviceKey(service) })))
    .toSorted((a, b) => (a.address.value < b.address.value ? -1 : Number(a.address.value > b.address.value)));
  return {
    firstIn(cidr) {
      let [low, high] = [0, sorted.length];
      while (low < high) {
        const middle = Math.floor((low + high) / 2);
        if ((sorted[middle]?.address.value ?? 0n) < cidr.value) low = middle + 1;
        else high = middle;
      }
      // Addresses of the other family are among them.
      for (let at = low; at < sorted.length; at++) {
        const found = sorted[at];
        if (found === undefined || found.address.value >= cidr.value + rangeSize(cidr)) return undefined;
        if (contains(cidr, found.address)) return found;
      }
      return undefined;
    },
  };
}

const rangeSize = ({ family, length }: Cidr) => 1n << BigInt((family === 'IPv4' ? 32 : 128) - length);

/** The ClusterIPs of the Services that this cluster exports, each once, in the order of their texts. An import is not exported. */
export function readExported(exports: readonly ServiceExport[], services: readonly Service[]): readonly Address[] {
  const exported = new Set(
    exports
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map(({ metadata: { namespace, name } }) => `${namespace}/${name}`),
  );
  const addresses = services
    .filter((service) => exported.has(serviceKey(service)) && !isImported(service))
    .flatMap(clusterIPsOf)
    .map((address) => [addressText(address), address] as const);
  return [...new Map(addresses)].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, address]) => address);
}

/** None, where it is headless or has none yet. */
function clusterIPsOf({ spec }: Service): readonly Address[] {
  return (spec?.clusterIPs ?? [spec?.clusterIP ?? '']).flatMap((text) => parseAddress(text) ?? []);
}
