import { agentPorts } from '@isthmus/dataplane';
import type { BindAddress } from '@isthmus/kube';
import type { Cidr } from '@isthmus/machinery';
import { parseCidr } from '@isthmus/machinery';
import { bindAddressOf } from '../command-process.ts';
import { UsageError } from '../usage-error.ts';

/** Of the controller of the member. */
export const defaultNamespace = 'kube-system';

/** The flag for where an agent serves its health and its status. */
export const healthFlag = 'health-probe-bind-address';

/** The value of that flag; undefined: nowhere. Errors: {@link UsageError} for an address that is not valid. */
export function healthAddressOf(flags: { readonly [healthFlag]?: string | undefined }): BindAddress | undefined {
  return bindAddressOf(healthFlag, flags[healthFlag] ?? `127.0.0.1:${agentPorts.health}`);
}

/** The value of flag `--pod-cidrs`. Errors: {@link UsageError} for a CIDR that is not valid. */
export function podCIDRsOf(list = ''): readonly Cidr[] {
  return list
    .split(',')
    .filter((text) => text !== '')
    .map(cidrOf);
}

function cidrOf(text: string): Cidr {
  const cidr = parseCidr(text.trim());
  if (cidr === undefined)
    throw new UsageError(`--pod-cidrs contains ${JSON.stringify(text)}, which is not a valid CIDR.`);
  return cidr;
}
