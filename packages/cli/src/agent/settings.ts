import type { VirtualCIDR } from '@isthmus/dataplane';
import { agentPorts } from '@isthmus/dataplane';
import type { BindAddress } from '@isthmus/kube';
import type { Cidr } from '@isthmus/machinery';
import { cidrText, overlaps, parseCidr } from '@isthmus/machinery';
import { bindAddressOf } from '../long-running/command-process.ts';
import { UsageError } from '../command/usage-error.ts';

/** The default Namespace of the member's controller. */
export const defaultNamespace = 'kube-system';

/** The flag for where an agent serves its health and its status. */
export const healthFlag = 'health-probe-bind-address';

/**
 * The value of that flag; undefined: nowhere. Errors: {@link UsageError} for an address that is not
 * valid.
 */
export function healthAddressOf(flags: { readonly [healthFlag]?: string | undefined }): BindAddress | undefined {
  return bindAddressOf(healthFlag, flags[healthFlag] ?? `127.0.0.1:${agentPorts.health}`);
}

/** The value of flag `--pod-cidrs`. Errors: {@link UsageError} for a CIDR that is not valid. */
export function podCIDRsOf(list = ''): readonly Cidr[] {
  return list
    .split(',')
    .filter((text) => text !== '')
    .map((text) => cidrOf(text, 'pod-cidrs'));
}

function cidrOf(text: string, flag: string): Cidr {
  const cidr = parseCidr(text.trim());
  if (cidr === undefined)
    throw new UsageError(`--${flag} contains ${JSON.stringify(text)}, which is not a valid CIDR.`);
  return cidr;
}

/**
 * The value of flag `--virtual-pod-cidrs`. Errors: {@link UsageError} for a CIDR that is not valid,
 * for two that are not of one family and length, and for ranges that overlap.
 */
export function virtualCIDRsOf(list = ''): readonly VirtualCIDR[] {
  const flag = 'virtual-pod-cidrs';
  const pairs = list
    .split(',')
    .filter((text) => text !== '')
    .map((text) => {
      const [own = '', virtual = '', ...others] = text.split('=');
      if (virtual === '' || others.length > 0)
        throw new UsageError(
          `--${flag} contains ${JSON.stringify(text)}. It must be two CIDRs, such as 10.10.0.0/16=100.64.0.0/16.`,
        );
      const pair = { own: cidrOf(own, flag), virtual: cidrOf(virtual, flag) };
      if (pair.own.family !== pair.virtual.family || pair.own.length !== pair.virtual.length)
        throw new UsageError(
          `--${flag} contains ${JSON.stringify(text)}. Both CIDRs must have the same family and length.`,
        );
      return pair;
    });
  const all = pairs.flatMap(({ own, virtual }) => [own, virtual]);
  all.forEach((one, index) => {
    const other = all.slice(0, index).find((before) => overlaps(before, one));
    if (other !== undefined)
      throw new UsageError(`--${flag} contains ${cidrText(other)} and ${cidrText(one)}, which overlap.`);
  });
  return pairs;
}
