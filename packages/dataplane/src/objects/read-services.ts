import type { EndpointSlice, Service } from '@isthmus/api';
import type { ImportedService } from '../desired/cluster-network.ts';
import type { Problem } from './problem.ts';
import type { Ranges, ReadService } from './read-service.ts';
import { readService } from './read-service.ts';
import { isImported, serviceKey } from './service-keys.ts';

/** The result of all imported Services of a cluster, in the order of their keys. */
export interface ReadServices {
  readonly ports: readonly ImportedService[];
  readonly problems: readonly Problem[];
}

/** The objects that imported Services are read from. */
export interface ServiceObjects {
  /** All Services of the cluster. */
  readonly services: readonly Service[];
  /** The slices of a Service, by its {@link serviceKey}. */
  readonly slicesOf: (service: string) => readonly EndpointSlice[];
  readonly ranges: Ranges;
}

interface Known {
  readonly service: Service;
  readonly slices: readonly EndpointSlice[];
  readonly ranges: Ranges;
  readonly read: ReadService;
}

interface Imported {
  readonly key: string;
  readonly service: Service;
}

/**
 * Reads imported Services. Results of objects that have not changed since the last time are the
 * same objects again. There are thousands of Services, and most changes are of one Service, so
 * unchanged Services are checked without creating objects.
 */
export function createServicesReader(): (objects: ServiceObjects) => ReadServices {
  let known = new Map<string, Known>();
  let lastServices: readonly Service[] | undefined;
  let imported: readonly Imported[] = [];
  let last: ReadServices = { ports: [], problems: [] };
  return ({ services, slicesOf, ranges }) => {
    let isAnother = services !== lastServices;
    if (isAnother) {
      imported = importedOf(services);
      const former = known;
      known = new Map(
        imported.flatMap(({ key }) => {
          const one = former.get(key);
          return one === undefined ? [] : [[key, one]];
        }),
      );
      lastServices = services;
    }
    const ports: ImportedService[] = [];
    const problems: Problem[] = [];
    for (const { key, service } of imported) {
      const slices = slicesOf(key);
      let one = known.get(key);
      if (one === undefined || one.service !== service || one.ranges !== ranges || !isSame(one.slices, slices)) {
        one = { service, slices, ranges, read: readService(service, slices, ranges) };
        known.set(key, one);
        isAnother = true;
      }
      ports.push(...one.read.ports);
      problems.push(...one.read.problems);
    }
    if (isAnother) last = { ports, problems };
    return last;
  };
}

const importedOf = (services: readonly Service[]): readonly Imported[] =>
  services
    .filter(isImported)
    .map((service) => ({ key: serviceKey(service), service }))
    .toSorted((a, b) => (a.key < b.key ? -1 : 1));

/** A cache gives the same list until one of its objects changes. */
const isSame = (a: readonly EndpointSlice[], b: readonly EndpointSlice[]) =>
  a === b || (a.length === b.length && a.every((one, index) => one === b[index]));
