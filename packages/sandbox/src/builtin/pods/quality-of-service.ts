import type { PodSpec, ResourceList } from './pod-spec.ts';
import { quantityValue } from './quantities.ts';

type Amounts = ReadonlyMap<string, bigint>;

/**
 * The `status.qosClass` of a Pod, by the requests and limits of its containers for CPU and memory.
 * Source: core/v1 QoS classes.
 */
export function qosClassOf({ containers, initContainers = [], resources: whole }: PodSpec): string {
  const each =
    whole === undefined ? [...(containers ?? []), ...initContainers].map(({ resources = {} }) => resources) : [whole];
  const requests = sum(each.map((one) => one.requests ?? {}));
  const limits = sum(each.map((one) => one.limits ?? {}));
  if (requests.size === 0 && limits.size === 0) return 'BestEffort';
  const allLimited =
    whole === undefined || (whole.limits !== undefined && Object.keys(whole.limits).length > 0)
      ? each.every((one) => sum([one.limits ?? {}]).size === computed.length)
      : true;
  const same = requests.size === limits.size && [...requests].every(([name, value]) => limits.get(name) === value);
  return allLimited && same ? 'Guaranteed' : 'Burstable';
}

const computed = ['cpu', 'memory'];

function sum(lists: readonly ResourceList[]): Amounts {
  const amounts = new Map<string, bigint>();
  for (const list of lists) {
    for (const name of computed) {
      const quantity = list[name];
      const value = quantity === undefined ? 0n : quantityValue(quantity);
      if (value > 0n) amounts.set(name, (amounts.get(name) ?? 0n) + value);
    }
  }
  return amounts;
}
