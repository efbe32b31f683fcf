import type { Service, ServiceExport } from '@isthmus/api';
import type { Address, Cidr } from '@isthmus/machinery';
import { addressText, contains, parseAddress } from '@isthmus/machinery';
import { isImported, serviceKey } from './service-keys.ts';

/** The addresses of all Services of this cluster. */
export interface ClusterIPs {
  /** The first address in a range; undefined: there is none. */
  firstIn(cidr: Cidr): OwnClusterIP | undefined;
}

interface OwnClusterIP {
  readonly address: Address;
  /** The Service: `<Namespace>/<name>`. */
  readonly name: string;
}

/**
 * Reads the addresses of Services. There may be thousands of ranges and Services, so the addresses
 * are sorted, and a range is found by binary search.
 */
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
      // The list also has addresses of the other family.
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

/**
 * The ClusterIPs of the Services that this cluster exports, each once, in the order of their texts.
 * An import is not exported.
 */
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

/** None if the Service is headless, or does not have an address yet. */
function clusterIPsOf({ spec }: Service): readonly Address[] {
  return (spec?.clusterIPs ?? [spec?.clusterIP ?? '']).flatMap((text) => parseAddress(text) ?? []);
}
