import { bytewise } from '../precedence.ts';

/** The first address identifies an endpoint here. All its other fields are kept with it. */
export interface SliceEndpoint {
  readonly addresses: readonly string[];
}

export interface SlicePort {
  readonly name?: string | null | undefined;
  readonly port?: number | null | undefined;
  readonly protocol?: string | null | undefined;
  readonly appProtocol?: string | null | undefined;
}

/** Endpoints of one address family behind one set of ports. */
export interface SliceContent<E extends SliceEndpoint, P extends SlicePort> {
  readonly addressType: string;
  readonly ports: readonly P[];
  readonly endpoints: readonly E[];
}

export interface NamedSlice<E extends SliceEndpoint, P extends SlicePort> extends SliceContent<E, P> {
  readonly name: string;
}

interface PackOptions {
  /**
   * The beginning of the name of each new slice: `<prefix>-<address type in lower case>-<number>`.
   */
  readonly prefix: string;
  /** At least 1; if absent, 1000, the maximum of the API server. */
  readonly maxEndpoints?: number | undefined;
}

/**
 * The EndpointSlices to have, from the existing ones, with as few changes as can be decided within
 * each group.
 *
 * Contents with the same address type and ports (in any order, absent and default equal) are one
 * group. Within a group an endpoint stays in its slice. One that is not desired any more is
 * removed. A new one goes to a slice that loses endpoints anyway, else to the first with room, else
 * to a new slice. A slice that would become empty is removed, unless a group without any endpoint
 * is wanted: that has one empty slice. A slice that its group no longer needs is reused by another
 * group of the same address type before a new one is created: the API allows other ports in a
 * slice, but no other address type.
 *
 * Guarantees: every endpoint of `desired` is in exactly one slice of its group (given twice, it is
 * there once, and the first is used). The same input gives the same result, in any order of slices
 * and endpoints. Its own result as input changes nothing. One endpoint more or less changes,
 * creates or removes one slice. A slice that stays keeps its ports as they are written, and its
 * name is that of `current`: a name of `current` that is not in the result is to be deleted.
 * Half-empty slices are not joined: that would rewrite slices although no endpoint changed. Cost:
 * linear, and the sorting of names and new endpoints.
 */
export function packSlices<E extends SliceEndpoint, P extends SlicePort>(
  current: readonly NamedSlice<E, P>[],
  desired: readonly SliceContent<E, P>[],
  options: PackOptions,
): readonly NamedSlice<E, P>[] {
  const max = Math.max(1, options.maxEndpoints ?? 1000);
  const groups = groupsOf(desired);
  const spare: NamedSlice<E, P>[] = [];
  for (const slice of [...current].sort(byName)) {
    const group = groups.get(groupKey(slice));
    if (group === undefined) spare.push(slice);
    else group.holders.push(holderOf(slice, group.missing, max));
  }
  const sorted = [...groups].sort((a, b) => bytewise(a[0], b[0])).map(([, group]) => group);
  for (const group of sorted) {
    fill(group, max);
    spare.push(...releaseEmpty(group));
  }
  const nextName = namesAfter(current, options.prefix);
  const added = sorted.flatMap((group) =>
    newSlices(group, max, () => takeSpare(spare, group.addressType) ?? nextName(group.addressType)),
  );
  const kept = sorted.flatMap((group) => group.holders.map(({ slice, endpoints }) => ({ ...slice, endpoints })));
  return [...kept, ...added].sort(byName);
}

interface Group<E extends SliceEndpoint, P extends SlicePort> {
  readonly addressType: string;
  readonly ports: readonly P[];
  /** Desired endpoints, by first address, that are not in a slice yet. */
  readonly missing: Map<string, E>;
  readonly wantsNone: boolean;
  readonly holders: Holder<E, P>[];
}

/** An existing slice, and its future content. */
interface Holder<E extends SliceEndpoint, P extends SlicePort> {
  readonly slice: NamedSlice<E, P>;
  readonly endpoints: E[];
}

function groupsOf<E extends SliceEndpoint, P extends SlicePort>(
  desired: readonly SliceContent<E, P>[],
): ReadonlyMap<string, Group<E, P>> {
  const byKey = Map.groupBy(desired, groupKey);
  return new Map(
    [...byKey].flatMap(([key, contents]): [string, Group<E, P>][] => {
      const first = contents[0];
      if (first === undefined) return [];
      const missing = new Map<string, E>();
      for (const endpoint of contents.flatMap(({ endpoints }) => endpoints)) {
        const address = addressOf(endpoint);
        if (!missing.has(address)) missing.set(address, endpoint);
      }
      const { addressType, ports } = first;
      return [[key, { addressType, ports, missing, wantsNone: missing.size === 0, holders: [] }]];
    }),
  );
}

/** Moves the endpoints that `slice` may keep from `missing` to the holder. */
function holderOf<E extends SliceEndpoint, P extends SlicePort>(
  slice: NamedSlice<E, P>,
  missing: Map<string, E>,
  max: number,
): Holder<E, P> {
  const endpoints: E[] = [];
  for (const held of slice.endpoints) {
    const address = addressOf(held);
    const wanted = missing.get(address);
    if (wanted === undefined || endpoints.length === max) continue;
    missing.delete(address);
    endpoints.push(wanted);
  }
  return { slice, endpoints };
}

/** Adds missing endpoints to slices with room, first to those that are rewritten anyway. */
function fill<E extends SliceEndpoint, P extends SlicePort>(group: Group<E, P>, max: number): void {
  const isLosing = ({ slice, endpoints }: Holder<E, P>) => endpoints.length < slice.endpoints.length;
  const { losing = [], others = [] } = Object.groupBy(group.holders, (holder) =>
    isLosing(holder) ? 'losing' : 'others',
  );
  const queue = newEndpoints(group);
  for (const { endpoints } of [...losing, ...others]) {
    for (const endpoint of queue.splice(0, max - endpoints.length)) {
      endpoints.push(endpoint);
      group.missing.delete(addressOf(endpoint));
    }
  }
}

/**
 * Removes the slices that would be empty from the group and returns them. One stays if the group is
 * to have no endpoint.
 */
function releaseEmpty<E extends SliceEndpoint, P extends SlicePort>(group: Group<E, P>): readonly NamedSlice<E, P>[] {
  const { kept = [], released = [] } = Object.groupBy(group.holders, ({ endpoints }, index) =>
    endpoints.length > 0 || (group.wantsNone && index === 0) ? 'kept' : 'released',
  );
  group.holders.splice(0, group.holders.length, ...kept);
  return released.map(({ slice }) => slice);
}

function newSlices<E extends SliceEndpoint, P extends SlicePort>(
  group: Group<E, P>,
  max: number,
  name: () => string,
): readonly NamedSlice<E, P>[] {
  const { addressType, ports } = group;
  const queue = newEndpoints(group);
  if (queue.length === 0)
    return group.wantsNone && group.holders.length === 0 ? [{ name: name(), addressType, ports, endpoints: [] }] : [];
  const slices: NamedSlice<E, P>[] = [];
  for (let start = 0; start < queue.length; start += max) {
    slices.push({ name: name(), addressType, ports, endpoints: queue.slice(start, start + max) });
  }
  return slices;
}

function newEndpoints<E extends SliceEndpoint>(group: { readonly missing: ReadonlyMap<string, E> }): E[] {
  return [...group.missing].sort((a, b) => bytewise(a[0], b[0])).map(([, endpoint]) => endpoint);
}

function takeSpare(spare: NamedSlice<SliceEndpoint, SlicePort>[], addressType: string): string | undefined {
  const index = spare.findIndex((slice) => slice.addressType === addressType);
  return index < 0 ? undefined : spare.splice(index, 1)[0]?.name;
}

/** Names that no slice of `current` has: the lowest numbers first. */
function namesAfter(current: readonly { readonly name: string }[], prefix: string): (addressType: string) => string {
  const taken = new Set(current.map(({ name }) => name));
  const next = new Map<string, number>();
  return (addressType) => {
    let number = next.get(addressType) ?? 0;
    const named = () => `${prefix}-${addressType.toLowerCase()}-${number}`;
    while (taken.has(named())) number++;
    next.set(addressType, number + 1);
    return named();
  };
}

function groupKey({ addressType, ports }: SliceContent<SliceEndpoint, SlicePort>): string {
  const keys = ports.map((port) => [port.name ?? '', port.protocol ?? 'TCP', port.port ?? 0, port.appProtocol ?? '']);
  return JSON.stringify([addressType, ...keys.map((key) => JSON.stringify(key)).sort(bytewise)]);
}

function addressOf(endpoint: SliceEndpoint): string {
  return endpoint.addresses[0] ?? '';
}

/** Shorter names first, so that number 10 comes after number 9. */
function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name.length - b.name.length || bytewise(a.name, b.name);
}
