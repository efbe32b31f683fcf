import type { Address, Clock } from '@isthmus/machinery';
import { cidrText, hostCidr, parseAddress, parseCidr, sleep, specialUse } from '@isthmus/machinery';
import type { LocalRange } from '@isthmus/api';
import { devicePrefix, routeProtocol } from '../network/owned.ts';
import type { RunProgram } from '../kernel/write-network.ts';
import { routesOf } from './routes-of.ts';

/** How a Node looks up names. */
export interface NodeNames {
  /** The addresses of its nameservers. */
  nameservers(): Promise<readonly string[]>;
  /** The addresses of a host. Errors: throws if there are none. */
  addressesOf(host: string): Promise<readonly string[]>;
}

/** A Node with a whole table of the Internet would make each comparison slow. */
const mostRoutes = 256;

/** How long a name may keep the network of a Node waiting. */
const lookUpMs = 2_000;

/**
 * Reads the ranges that are local to a Node: the networks that it is connected to, the more exact
 * routes of its main table, its default gateways and nameservers, and the API server of the leader.
 * A Node that lost the way to its leader would never learn that the range in its way is withdrawn.
 */
export function createLocalRanges({ run, names, clock }: LocalRangesOptions) {
  /** The addresses by which each host was known last: names may stop to be answered. */
  const known = new Map<string, readonly Address[]>();

  /** Waits only for a host that is not known yet. */
  async function lookUp(host: string): Promise<void> {
    const answer = names
      ?.addressesOf(host)
      .then((found) => void known.set(host, addressesIn(found)))
      // A failure is that of the next connection to the leader, which is reported there.
      .catch(() => {});
    if (known.has(host)) return;
    const stop = new AbortController();
    await Promise.race([answer, sleep(clock, lookUpMs, stop.signal).catch(() => {})]);
    stop.abort();
  }

  /** `hosts`: those of the leader's API server, separated by blanks. Errors: those of `ip`. */
  return async (hosts: string): Promise<readonly LocalRange[]> => {
    const found: LocalRange[] = [];
    const add = (what: LocalRange['what'], addresses: readonly Address[]) =>
      void found.push(...addresses.map((address) => ({ cidr: hostCidr(address), what })));
    for (const host of hosts.split(' ').filter((one) => one !== '')) {
      const literal = addressesIn([host]);
      if (literal.length === 0) await lookUp(host);
      add('leader', literal.length === 0 ? (known.get(host) ?? []) : literal);
    }
    add('nameserver', addressesIn((await names?.nameservers()) ?? []));
    const routes = (await Promise.all((['-4', '-6'] as const).map((family) => mainTable(run, family)))).flat();
    add('gateway', routes.filter(isDefault).flatMap(gatewaysOf));
    found.push(
      ...routes
        .filter((route) => !isDefault(route))
        .flatMap(rangeOf)
        .toSorted(widestFirst)
        .slice(0, mostRoutes),
    );
    const usable = found.filter(({ cidr }) => specialUse(cidr) === undefined);
    return [...new Map(usable.toReversed().map((one) => [cidrText(one.cidr), one])).values()].toReversed();
  };
}

interface LocalRangesOptions {
  readonly run: RunProgram;
  readonly names: NodeNames | undefined;
  readonly clock: Clock;
}

/** The parts of a route in the output of `ip -j` that are read. */
interface ListedRoute {
  readonly dst?: string;
  readonly gateway?: string;
  readonly via?: { readonly host?: string };
  readonly dev?: string;
  readonly protocol?: string;
  readonly flags?: readonly string[];
  readonly nexthops?: readonly Pick<ListedRoute, 'gateway' | 'via' | 'dev' | 'flags'>[];
}

/** The routes that are in use, and not ours. */
async function mainTable(run: RunProgram, family: '-4' | '-6'): Promise<readonly ListedRoute[]> {
  const routes = await routesOf<ListedRoute>(run, family, 'main');
  const isUnused = ({ flags = [] }: Pick<ListedRoute, 'flags'>) => flags.includes('linkdown') || flags.includes('dead');
  return routes.filter(
    ({ dev = '', protocol, ...route }) =>
      !dev.startsWith(devicePrefix) && protocol !== String(routeProtocol) && !isUnused(route),
  );
}

const isDefault = ({ dst }: ListedRoute) => dst === 'default';

function gatewaysOf({ nexthops = [], ...route }: ListedRoute): readonly Address[] {
  return addressesIn([route, ...nexthops].flatMap(({ gateway, via }) => gateway ?? via?.host ?? []));
}

/** A route to one address has no prefix length. */
function rangeOf(route: ListedRoute): readonly LocalRange[] {
  const { dst = '', protocol, nexthops = [] } = route;
  const [address] = addressesIn([dst]);
  const cidr = parseCidr(dst) ?? (address && hostCidr(address));
  if (cidr === undefined) return [];
  const isConnected = protocol === 'kernel' && nexthops.length === 0 && gatewaysOf(route).length === 0;
  return [{ cidr, what: isConnected && address === undefined ? 'network' : 'route' }];
}

const widestFirst = (a: LocalRange, b: LocalRange) => a.cidr.length - b.cidr.length;

function addressesIn(texts: readonly string[]): readonly Address[] {
  return texts.flatMap((text) => parseAddress(text) ?? []);
}

/** The addresses of nameservers in the text of `/etc/resolv.conf`. */
export function nameserversIn(text: string): readonly string[] {
  return [...text.matchAll(/^[ \t]*nameserver[ \t]+(\S{1,64})/gm)].flatMap(([, address]) => address ?? []);
}
