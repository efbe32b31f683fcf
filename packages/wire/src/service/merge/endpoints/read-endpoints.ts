import { addressOf, addressText, dns1123LabelErrors, parseAddress, specialUse } from '@isthmus/machinery';
import type { Address, Family } from '@isthmus/machinery';
import type { Complete } from '@isthmus/schema';
import { present } from '../present.ts';
import { areSame } from './both-forms.ts';
import { readPortNumber, readProtocol } from '../ports/read-ports.ts';
import type { Problems } from '../problems.ts';
import type { EndpointConditions, MergedEndpoint, MergedEndpointPort } from '../types.ts';
import { isAbsent, isLabelValue, isQualifiedName, listOf, recordOf, shown } from '../../../untrusted.ts';

/**
 * Endpoints that share their ports: one subset or one slice of the source, without values that are
 * not valid.
 */
export interface EndpointGroup {
  readonly ports: readonly MergedEndpointPort[];
  /**
   * Whether the source lists no port at all, as a headless Service without ports does on purpose.
   */
  readonly portless: boolean;
  readonly endpoints: readonly FamilyEndpoint[];
  /** For a slice of ClusterIPs: the Pods behind it. */
  readonly pods?: readonly EndpointGroup[] | undefined;
}

interface FamilyEndpoint {
  readonly family: Family;
  /** At least one address, all canonical and of that family. */
  readonly endpoint: MergedEndpoint;
}

/** The endpoints of one cluster. A form that it did not send is absent. */
export interface ReadEndpoints {
  readonly subsets?: readonly EndpointGroup[] | undefined;
  readonly slices?: readonly EndpointGroup[] | undefined;
}

/**
 * The valid content of an Endpoints export. Left out and reported: addresses that are not valid or
 * that no endpoint may have, ports without a valid number or protocol, slices of an unknown address
 * type, host names and zones that are not valid. Left out silently, because they are of no use to
 * other clusters or would mislead: Node names (they could name a Node of the importer) and
 * references to Pods.
 *
 * If the two forms differ, the slices count. Otherwise an importer that compares the merged list
 * with the endpoints of each cluster would take it for that of another leader, and would use the
 * list, in which no endpoint belongs to a known cluster.
 */
export function readEndpoints(value: unknown, problems: Problems): ReadEndpoints {
  if (isAbsent(value)) return {};
  const record = recordOf(value);
  if (record === undefined) problems.add(`endpoints: expected an object, got ${shown(value)}; ignored`);
  const subsets = readGroups(record?.['subsets'], 'subsets', readSubset, problems);
  const slices = readGroups(record?.['endpointSlices'], 'endpointSlices', readSlice, problems);
  if (subsets === undefined || slices === undefined || areSame(subsets, slices)) return { subsets, slices };
  problems.add('endpoints and endpointSlices are not the same endpoints; those of endpointSlices are used');
  return { slices };
}

/**
 * Each set of ports becomes an EndpointSlice in every importing cluster. An exporter has few sets;
 * a list that a leader merged has one for each exporter. The limit keeps one cluster from filling
 * the API servers of the others.
 */
const maxGroups = 1_000;

type GroupReader = (
  record: Readonly<Record<string, unknown>>,
  what: string,
  problems: Problems,
) => EndpointGroup | undefined;

function readGroups(
  value: unknown,
  field: string,
  read: GroupReader,
  problems: Problems,
): readonly EndpointGroup[] | undefined {
  if (isAbsent(value)) return undefined;
  const list = listOf(value);
  if (list === undefined) {
    problems.add(`${field}: expected a list, got ${shown(value)}; ignored`);
    return undefined;
  }
  if (list.length > maxGroups)
    problems.add(`${field}: ${list.length} entries are too many; those after the first ${maxGroups} are left out`);
  return list.slice(0, maxGroups).flatMap((item, index) => {
    const record = recordOf(item);
    if (record === undefined) problems.add(`${field}[${index}]: expected an object, got ${shown(item)}; left out`);
    return (record && read(record, `${field}[${index}]`, problems)) ?? [];
  });
}

function readSubset(record: Readonly<Record<string, unknown>>, what: string, problems: Problems): EndpointGroup {
  const endpoints: FamilyEndpoint[] = [];
  for (const [field, ready] of [
    ['addresses', true],
    ['notReadyAddresses', false],
  ] as const) {
    for (const item of readList(record[field], `${what}.${field}`, problems)) {
      const address = readAddress(recordOf(item)?.['ip'], `${what}.${field}`, problems);
      if (address === undefined) continue;
      endpoints.push({
        family: address.family,
        endpoint: { addresses: [addressText(address)], conditions: { ready } },
      });
    }
  }
  return { ...readPorts(record['ports'], what, problems), endpoints };
}

function readSlice(
  record: Readonly<Record<string, unknown>>,
  what: string,
  problems: Problems,
): EndpointGroup | undefined {
  const family = record['addressType'];
  if (family !== 'IPv4' && family !== 'IPv6') {
    problems.add(`${what}: addressType ${shown(family)} is neither IPv4 nor IPv6; left out`);
    return undefined;
  }
  const pods = readGroups(
    record['pods'],
    `${what}.pods`,
    (one, at) => readFamily(one, { family, what: at }, problems),
    problems,
  );
  const group = readFamily(record, { family, what }, problems);
  return pods === undefined || pods.length === 0 ? group : { ...group, pods };
}

function readFamily(
  record: Readonly<Record<string, unknown>>,
  { family, what }: { readonly family: Family; readonly what: string },
  problems: Problems,
): EndpointGroup {
  const endpoints: FamilyEndpoint[] = [];
  for (const item of readList(record['endpoints'], `${what}.endpoints`, problems)) {
    const endpoint = readEndpoint(recordOf(item) ?? {}, family, `${what}.endpoints`, problems);
    if (endpoint !== undefined) endpoints.push({ family, endpoint });
  }
  return { ...readPorts(record['ports'], what, problems), endpoints };
}

function readEndpoint(
  record: Readonly<Record<string, unknown>>,
  family: Family,
  what: string,
  problems: Problems,
): MergedEndpoint | undefined {
  const addresses = new Set<string>();
  for (const text of readList(record['addresses'], `${what}.addresses`, problems)) {
    const address = readAddress(text, what, problems);
    if (address === undefined) continue;
    if (address.family === family) addresses.add(addressText(address));
    else problems.add(`${what}: ${shown(text)} is not an ${family} address; left out`);
  }
  if (addresses.size === 0) return undefined;
  const fields = Object.entries(optionalFields).map(([field, read]) => [field, read(record[field])] as const);
  for (const [field, value] of fields) {
    const found = record[field];
    if (value === undefined && typeof found === 'string' && found !== '')
      problems.add(`${what}: ${field} ${shown(found)} is not valid; left out`);
  }
  const complete = { addresses: [...addresses].slice(0, maxAddressesPerEndpoint), ...Object.fromEntries(fields) };
  return present(complete);
}

/** The optional fields beside the addresses, each with a check of its value. */
const optionalFields: {
  readonly [Field in Exclude<keyof MergedEndpoint, 'addresses'>]: (value: unknown) => MergedEndpoint[Field];
} = {
  conditions: readConditions,
  hostname: (value) =>
    typeof value === 'string' && value.length <= 63 && dns1123LabelErrors(value).length === 0 ? value : undefined,
  zone: (value) => (isLabelValue(value) && value !== '' ? value : undefined),
};

const conditionNames: Readonly<Record<keyof EndpointConditions, true>> = {
  ready: true,
  serving: true,
  terminating: true,
};

function readConditions(value: unknown): EndpointConditions | undefined {
  const record = recordOf(value);
  const known = Object.keys(conditionNames).filter((name) => typeof record?.[name] === 'boolean');
  if (known.length === 0) return undefined;
  return Object.fromEntries(known.map((name) => [name, record?.[name] === true]));
}

function readPorts(
  value: unknown,
  what: string,
  problems: Problems,
): { readonly ports: readonly MergedEndpointPort[]; readonly portless: boolean } {
  const list = readList(value, `${what}.ports`, problems);
  const ports = new Map<string, MergedEndpointPort>();
  for (const item of list) {
    const record = recordOf(item);
    const name = record?.['name'] ?? '';
    const port = readPortNumber(record?.['port']);
    const protocol = readProtocol(record?.['protocol']);
    const appProtocol = record?.['appProtocol'];
    if (typeof name !== 'string' || port === undefined || protocol === undefined) {
      problems.add(`${what}.ports: ${shown(name)} has no valid name, number or protocol; left out`);
    } else if (ports.has(name)) {
      problems.add(`${what}.ports: name ${shown(name)} is used by an earlier port; left out`);
    } else {
      const complete: Complete<MergedEndpointPort> = {
        name: name === '' ? undefined : name,
        port,
        protocol,
        appProtocol: isQualifiedName(appProtocol) ? appProtocol : undefined,
      };
      ports.set(name, present(complete));
    }
  }
  return { ports: [...ports.values()], portless: list.length === 0 };
}

function readList(value: unknown, what: string, problems: Problems): readonly unknown[] {
  const list = listOf(value);
  if (list === undefined && !isAbsent(value)) problems.add(`${what}: expected a list, got ${shown(value)}; ignored`);
  return list ?? [];
}

function readAddress(value: unknown, what: string, problems: Problems): Address | undefined {
  const address = typeof value === 'string' ? parseAddress(value) : undefined;
  if (address === undefined) {
    problems.add(`${what}: ${shown(value)} is not an IP address; left out`);
    return undefined;
  }
  const special = specialUse(address);
  if (special === undefined) return address;
  problems.add(`${what}: ${shown(value)} is ${addressOf(special.use)}; left out`);
  return undefined;
}

/** The most addresses that the API server accepts for one endpoint. */
const maxAddressesPerEndpoint = 100;
