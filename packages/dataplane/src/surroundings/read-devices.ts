import type { Family } from '@isthmus/machinery';
import { ipLists } from '../kernel/ip-lists.ts';
import type { RunProgram } from '../kernel/write-network.ts';

/** The devices of a Node and its forwarding settings, which the agent does not write. */
export interface NodeDevices {
  /** The names of all devices. */
  readonly names: readonly string[];
  /** The families whose packets the kernel does not forward from one device to another. */
  readonly notForwarding: ReadonlySet<Family>;
}

/** Reads the devices of this Node. Errors: throws if `ip` cannot be run, or fails. */
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

/** The output of `ip -j` for one item: fields may be missing. */
interface Entry {
  readonly ifname?: string;
  readonly family?: string;
  readonly interface?: string;
  readonly forwarding?: boolean;
}

/** The settings of this name are those of `net.ipv4.ip_forward` and `net.ipv6.conf.all`. */
const everyDevice = 'all';
const families: ReadonlyMap<string, Family> = new Map([
  ['inet', 'IPv4'],
  ['inet6', 'IPv6'],
]);
