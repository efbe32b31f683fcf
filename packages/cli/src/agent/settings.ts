import type { Cidr } from '@isthmus/machinery';
import { parseCidr } from '@isthmus/machinery';
import { UsageError } from '../usage-error.ts';

/** Of the controller of the member. */
export const defaultNamespace = 'kube-system';

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
