import type { ClusterInfo } from '@isthmus/api';
import { publicKeyProblem } from '@isthmus/api';
import { gatewayIPProblem } from './gateway-ip.ts';
import { shown } from '../untrusted.ts';

export interface UsableGateways {
  /** The gateways that agents can use, in their order; undefined if the cluster lists none. */
  readonly gatewayInfos: ClusterInfo['gatewayInfos'];
  /** The key of the first of these gateways. */
  readonly wireGuard: ClusterInfo['wireGuard'];
  /** What was left out and why, for the exporter. */
  readonly leftOut: string | undefined;
}

/** A member can list as many as an API server stores. Only this many are read. */
const mostGateways = 64;
const mostNamed = 3;

/**
 * The gateways of a network that have valid addresses. Agents of Antrea ignore a network whose
 * first gateway has no valid address, and keep their earlier configuration of it. The key outside
 * of the list is that of the first announced gateway: if that gateway is left out, the key is left
 * out too. `isGranted`: whether the cluster may have a gateway at an address.
 */
export function usableGateways(
  { gatewayInfos, wireGuard: announcedKey }: ClusterInfo,
  isGranted: (gatewayIP: string) => boolean = () => true,
): UsableGateways {
  const { publicKey: firstKey = '' } = announcedKey ?? {};
  const wrongFirstKey = firstKey === '' ? undefined : publicKeyProblem(firstKey);
  const wireGuard = wrongFirstKey === undefined ? announcedKey : undefined;
  const wrongKeys = wrongFirstKey === undefined ? [] : [`wireGuard.publicKey ${wrongFirstKey}`];
  if (gatewayInfos === undefined) return { gatewayInfos, wireGuard, leftOut: wrongKeys[0] };
  const judged = gatewayInfos.slice(0, mostGateways).map(({ gatewayIP = '', publicKey }, index) => {
    const problem = gatewayIPProblem(gatewayIP);
    const wrongKey = publicKey === undefined ? undefined : publicKeyProblem(publicKey);
    const wrong =
      problem === undefined
        ? wrongKey && `gatewayInfos[${index}].publicKey ${wrongKey}`
        : `gatewayInfos[${index}].gatewayIP ${shown(gatewayIP)} ${problem}`;
    const key = wrongKey === undefined ? publicKey : undefined;
    return { index, isUsable: problem === undefined && isGranted(gatewayIP), gatewayIP, publicKey: key, wrong };
  });
  const usable = judged.filter(({ isUsable }) => isUsable);
  const [first, ...others] = usable;
  const ownKey = first?.publicKey === undefined ? undefined : { publicKey: first.publicKey };
  const wrong = [...wrongKeys, ...judged.flatMap((one) => (one.wrong === undefined ? [] : [one.wrong]))];
  const more = wrong.length > mostNamed ? [`${wrong.length - mostNamed} more are not valid`] : [];
  const tooMany = gatewayInfos.length > mostGateways ? [`only the first ${mostGateways} gateways are used`] : [];
  const parts = [...wrong.slice(0, mostNamed), ...more, ...tooMany];
  return {
    gatewayInfos:
      first === undefined
        ? []
        : [
            { gatewayIP: first.gatewayIP },
            ...others.map(({ gatewayIP, publicKey }) => ({ gatewayIP, ...(publicKey !== undefined && { publicKey }) })),
          ],
    wireGuard: first === undefined || first.index === 0 ? wireGuard : ownKey,
    leftOut: parts.length === 0 ? undefined : parts.join('; '),
  };
}
