import { parseCidr } from '@isthmus/machinery';
import type { FieldError } from '@isthmus/schema';
import { isIPv6, legacyAddress } from '../address-rules.ts';
import { duplicate, invalid, notSupported, required } from '../field-rules.ts';
import { isHeadless, hasClusterIP, sameList } from './service-shape.ts';
import type { ServiceSpec } from './service-shape.ts';

const families = ['IPv4', 'IPv6'];
const policies = ['PreferDualStack', 'RequireDualStack', 'SingleStack'];

/** The errors of `clusterIP`, `clusterIPs`, `ipFamilies` and `ipFamilyPolicy` by themselves. */
export function addressErrors(spec: ServiceSpec, before: ServiceSpec | undefined): readonly FieldError[] {
  if (!hasClusterIP(spec)) return [];
  const { clusterIP = '', clusterIPs = [], ipFamilies = [], ipFamilyPolicy } = spec;
  const path = 'spec.clusterIPs';
  const errors: FieldError[] = [];
  if (clusterIP !== '') {
    if (clusterIPs.length === 0) errors.push(required(path));
    else if (clusterIPs[0] !== clusterIP) errors.push(invalid(path, clusterIPs, 'first value must match `clusterIP`'));
  } else if (clusterIPs.length > 0) {
    errors.push(invalid(path, clusterIPs, 'must be empty when `clusterIP` is not specified'));
  }
  ipFamilies.forEach((family, index) => {
    if (!families.includes(family)) errors.push(notSupported(`spec.ipFamilies[${index}]`, family, families));
    if (ipFamilies.indexOf(family) < index) errors.push(duplicate(`spec.ipFamilies[${index}]`, family));
  });
  if (ipFamilyPolicy !== undefined && !policies.includes(ipFamilyPolicy)) {
    errors.push(notSupported('spec.ipFamilyPolicy', ipFamilyPolicy, policies));
  }
  let unreadable = false;
  clusterIPs.forEach((address, index) => {
    const problems =
      index === 0 && address === 'None'
        ? clusterIPs.length > 1
          ? [invalid(path, clusterIPs, "'None' must be the first and only value")]
          : []
        : legacyAddress(`${path}[${index}]`, address, before?.clusterIPs);
    unreadable ||= problems.length > 0;
    errors.push(...problems);
  });
  if (clusterIPs.length > 2) errors.push(invalid(path, clusterIPs, 'may only hold up to 2 values'));
  if (unreadable) return errors;
  if (clusterIPs.length > 1 && (clusterIPs.every(isIPv6) || !clusterIPs.some(isIPv6))) {
    errors.push(invalid(path, clusterIPs, 'may specify no more than one IP for each IP family'));
  }
  if (isHeadless(spec)) return errors;
  clusterIPs.forEach((address, index) => {
    const family = ipFamilies[index];
    if ((family === 'IPv4' && isIPv6(address)) || (family === 'IPv6' && !isIPv6(address))) {
      const detail = `expected an ${family} value as indicated by \`ipFamilies[${index}]\``;
      errors.push(invalid(`${path}[${index}]`, address, detail));
    }
  });
  return errors;
}

/**
 * The spec with the IP families that the cluster assigns, or the errors that prevent it. `ranges`:
 * the Service ranges, the default first.
 */
export function withFamilies(
  given: ServiceSpec,
  before: ServiceSpec | undefined,
  ranges: readonly string[],
): { readonly spec: ServiceSpec; readonly errors: readonly FieldError[] } {
  if (!hasClusterIP(given) || keepsDualStack(given, before)) return { spec: given, errors: [] };
  const bare = given.clusterIP === 'None' && Object.keys(given.selector ?? {}).length === 0;
  const policy = given.ipFamilyPolicy ?? before?.ipFamilyPolicy ?? (bare ? 'RequireDualStack' : 'SingleStack');
  let spec: ServiceSpec = { ...given, ipFamilyPolicy: policy };
  const found = addressErrors(spec, before);
  if (found.length > 0) return { spec, errors: found };
  const errors: FieldError[] = [];
  const policyPath = 'spec.ipFamilyPolicy';
  if (before !== undefined && policy === 'SingleStack') spec = withoutSecond(spec, before);
  else if (before !== undefined) errors.push(...reductions(spec, before));
  if (policy === 'SingleStack') {
    const detail = (what: string) =>
      `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${what} are specified`;
    if (spec.clusterIPs?.length === 2) errors.push(invalid(policyPath, policy, detail('cluster IPs')));
    if (spec.ipFamilies?.length === 2) errors.push(invalid(policyPath, policy, detail('IP families')));
  }
  const configured = ranges.flatMap((range) => parseCidr(range)?.family ?? []);
  const ipFamilies: string[] = [...(spec.ipFamilies ?? [])];
  for (const [index, address] of (spec.clusterIPs ?? []).entries()) {
    if (address === 'None') break;
    const family = isIPv6(address) ? 'IPv6' : 'IPv4';
    if (index < ipFamilies.length) continue;
    if (configured.includes(family)) ipFamilies.push(family);
    else
      errors.push(invalid(`spec.clusterIPs[${index}]`, spec.clusterIPs, `${family} is not configured on this cluster`));
  }
  if (errors.length > 0) return { spec, errors };
  const [first = 'IPv4'] = configured;
  const other = (family: string | undefined) => (family === 'IPv4' ? 'IPv6' : 'IPv4');
  if (bare) {
    if (ipFamilies.length === 0) ipFamilies.push(first);
    if (ipFamilies.length < 2 && policy !== 'SingleStack') ipFamilies.push(other(ipFamilies[0]));
    return { spec: { ...spec, ipFamilies }, errors };
  }
  if (policy === 'RequireDualStack' && configured.length < 2) {
    errors.push(invalid(policyPath, policy, 'this cluster is not configured for dual-stack services'));
  }
  ipFamilies.forEach((family, index) => {
    if (!configured.some((one) => one === family)) {
      errors.push(invalid(`spec.ipFamilies[${index}]`, family, 'not configured on this cluster'));
    }
  });
  if (errors.length > 0) return { spec, errors };
  if (ipFamilies.length === 0) ipFamilies.push(first);
  if (policy !== 'SingleStack' && ipFamilies.length === 1 && configured.length === 2)
    ipFamilies.push(other(ipFamilies[0]));
  return { spec: { ...spec, ipFamilies }, errors };
}

/** A Service that prefers two families and did not change them keeps them. */
function keepsDualStack(spec: ServiceSpec, before: ServiceSpec | undefined): boolean {
  const prefers = ({ ipFamilyPolicy = 'PreferDualStack' }: ServiceSpec) => ipFamilyPolicy === 'PreferDualStack';
  return (
    before !== undefined &&
    [spec, before].every(({ type = '' }) => ['ClusterIP', 'NodePort', 'LoadBalancer'].includes(type)) &&
    prefers(spec) &&
    prefers(before) &&
    sameList(spec.clusterIPs, before.clusterIPs) &&
    sameList(spec.ipFamilies, before.ipFamilies)
  );
}

function withoutSecond(spec: ServiceSpec, before: ServiceSpec): ServiceSpec {
  return {
    ...spec,
    ...(sameList(spec.clusterIPs, before.clusterIPs) && spec.clusterIPs && { clusterIPs: spec.clusterIPs.slice(0, 1) }),
    ...(sameList(spec.ipFamilies, before.ipFamilies) && spec.ipFamilies && { ipFamilies: spec.ipFamilies.slice(0, 1) }),
  };
}

function reductions(spec: ServiceSpec, before: ServiceSpec): readonly FieldError[] {
  const reduced = (next: readonly string[] = [], had: readonly string[] = []) =>
    next.length > 0 && next.length < had.length;
  const error = (what: string) =>
    invalid('spec.ipFamilyPolicy', spec.ipFamilyPolicy, `must be 'SingleStack' to release the secondary ${what}`);
  return [
    ...(reduced(spec.clusterIPs, before.clusterIPs) ? [error('cluster IP')] : []),
    ...(reduced(spec.ipFamilies, before.ipFamilies) ? [error('IP family')] : []),
  ];
}
