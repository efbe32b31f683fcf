import type { ClusterInfo } from '@isthmus/api';
import { gatewayIPProblem } from '../../../exchange/gateway-ip.ts';
import { shown } from '../../../exchange/untrusted.ts';

export interface UsableGateways {
  /** Those that agents can use, in their order; undefined where the cluster lists none. */
  readonly gatewayInfos: ClusterInfo['gatewayInfos'];
  /** What was left out and why, for the exporter. */
  readonly leftOut: string | undefined;
}

/** A member can list any number. */
const mostGateways = 64;
const mostNamed = 3;

/**
 * The gateways of a network whose addresses are addresses. Agents of Antrea ignore a network whose first gateway has none, and keep what they had
 * configured of it before.
 */
export function usableGateways({ gatewayInfos }: ClusterInfo): UsableGateways {
  if (gatewayInfos === undefined) return { gatewayInfos, leftOut: undefined };
  const problems = gatewayInfos.map(({ gatewayIP = '' }) => gatewayIPProblem(gatewayIP));
  const usable = gatewayInfos.filter((_, index) => problems[index] === undefined).slice(0, mostGateways);
  const wrong = gatewayInfos.flatMap(({ gatewayIP = '' }, index) =>
    problems[index] === undefined ? [] : [`gatewayInfos[${index}].gatewayIP ${shown(gatewayIP)} ${problems[index]}`],
  );
  const more = wrong.length > mostNamed ? [`${wrong.length - mostNamed} more have no usable address`] : [];
  const tooMany = usable.length + wrong.length < gatewayInfos.length ? [`only ${mostGateways} gateways are used`] : [];
  const parts = [...wrong.slice(0, mostNamed), ...more, ...tooMany];
  return { gatewayInfos: usable, leftOut: parts.length === 0 ? undefined : parts.join('; ') };
}
