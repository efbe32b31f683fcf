import type { Family } from '@isthmus/machinery';
import { ipLists } from '../kernel/ip-lists.ts';
import type { RunProgram } from '../kernel/write-network.ts';

/** What is found on a Node beside what the agent writes. */
export interface NodeDevices {
  /** Of all devices. */
  readonly names: readonly string[];
  /** The families whose packets the kernel does not forward from one device to another. */
  readonly notForwarding: ReadonlySet<Family>;
}

/** Reads the devices of this Node. Errors: throws where `ip` cannot be run, or fails. */
export async function readDevices(run: RunProgram): Promise<NodeDevices> {
  const [links = [], settings = []] = await ipLists<Entry>(run, 'read the devices of this Node', [
    'link show',
    'netconf show',
  ]);
  return {
    names: links.flatMap(({ ifname }) => (ifname === undefined ? [] : [ifname])),
    notForwarding: new Set(
      settings.flatMap(({ family, interface: device, forwarding }) =>
        device === everyDevice && forwarding === false ? (families.get(family ?? '') ?? []) : [],
      ),
    ),
  };
}

/** What `ip -j` prints for one item: fields that may be missing. */
interface Entry {
  readonly ifname?: string;
  readonly family?: string;
  readonly interface?: string;
  readonly forwarding?: boolean;
}

/** Its settings are those of `net.ipv4.ip_forward` and `net.ipv6.conf.all`. */
const everyDevice = 'all';
const families: ReadonlyMap<string, Family> = new Map([
  ['inet', 'IPv4'],
  ['inet6', 'IPv6'],
]);
