import type { Service } from '@isthmus/api';
import type { Obstacle, ServicePlan } from './decide.ts';
import type { SourceSlice } from './slices/source-endpoints.ts';

export type Family = 'IPv4' | 'IPv6';

/**
 * The IP families of the endpoints, in the order in which a Service lists them. Empty if no
 * endpoint is known.
 */
export function familiesOf(sources: readonly { readonly slices: readonly SourceSlice[] }[]): readonly Family[] {
  const found = new Set(sources.flatMap(({ slices }) => slices).map(({ addressType }) => addressType));
  return (['IPv4', 'IPv6'] as const).filter((family) => found.has(family));
}

/**
 * The Service with the families of its endpoints.
 *
 * A new Service gets the only family, since an address without endpoints would refuse connections.
 * If there are endpoints of both families, it gets both if the cluster has both. An existing
 * Service keeps its families, and gets the other family if the cluster has it: the first address of
 * a Service can't change. No family is removed, since endpoints come and go.
 */
export function withFamilies(plan: ServicePlan, families: readonly Family[]): ServicePlan {
  if (plan.kind === 'keep') return plan;
  if (plan.kind !== 'change') {
    const object = plan.kind === 'create' ? plan.object : plan.to;
    const wanted = { ...object, spec: { ...object.spec, ...freshFamilies(object, families) } };
    return plan.kind === 'create' ? { ...plan, object: wanted } : { ...plan, to: wanted };
  }
  const had = plan.from.spec?.ipFamilies ?? [];
  // A Service that has lost its address has no families either. It gets those of a new Service.
  if (had.length === 0)
    return { ...plan, to: { ...plan.to, spec: { ...plan.to.spec, ...freshFamilies(plan.to, families) } } };
  if (families.every((family) => had.includes(family))) return plan;
  return { ...plan, to: { ...plan.to, spec: { ...plan.to.spec, ipFamilyPolicy: 'PreferDualStack' } } };
}

function freshFamilies({ spec }: Service, families: readonly Family[]): NonNullable<Service['spec']> {
  // A headless Service has no address that could be without endpoints.
  if (families.length === 0 || spec?.clusterIP === 'None') return {};
  return families.length === 1
    ? { ipFamilies: families, ipFamilyPolicy: 'SingleStack' }
    : { ipFamilyPolicy: 'PreferDualStack' };
}

/**
 * The problem that keeps the Service from working if it has no address of a family of its
 * endpoints.
 */
export function familyObstacle(served: readonly string[], families: readonly Family[]): Obstacle | undefined {
  if (families.length === 0 || families.some((family) => served.includes(family))) return undefined;
  const message = `The endpoints of the Service have ${families.join(' and ')} addresses, but Services of this cluster do not support ${families.join(' or ')}. Export the Service with another IP family, or enable dual-stack networking in this cluster.`;
  return { reason: 'IPFamilyNotSupported', message };
}
