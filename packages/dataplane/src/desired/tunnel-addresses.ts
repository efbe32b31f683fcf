import { tunnelMAC, tunnelPrefix, tunnelSuffix } from '@isthmus/api';
import type { Address, Family } from '@isthmus/machinery';
import { addressText } from '@isthmus/machinery';

/**
 * The addresses of a Node inside of tunnels. Both ends derive them from the address of the Node, so
 * they need not be exchanged.
 */
export interface TunnelAddresses {
  readonly mac: string;
  /**
   * The next hop for packets of each family. For IPv4 it is the address of the Node, if that is
   * IPv4; the Node then needs no IPv6. For IPv6 it is the address that the kernel derives from the
   * MAC address of the device (EUI-64), so the Node also answers there.
   */
  readonly hop: Readonly<Record<Family, string>>;
  /** The address that it sends from, and answers at: its next hop for IPv6. */
  readonly link: Address;
}

/** The addresses inside of tunnels of the Node with this address outside of them. */
export function tunnelAddresses(node: Address): TunnelAddresses {
  const [first, second] = tunnelPrefix(node);
  const link: Address = {
    family: 'IPv6',
    value: (0xfe80n << 112n) | interfaceID(BigInt(`0x${first}${second}`), tunnelSuffix(node)),
  };
  const linkLocal = addressText(link);
  return {
    mac: tunnelMAC(node),
    hop: { IPv4: node.family === 'IPv4' ? addressText(node) : linkLocal, IPv6: linkLocal },
    link,
  };
}

/**
 * EUI-64 (RFC 4291, appendix A): the MAC address with one bit inverted, and two bytes inserted in
 * its middle.
 */
function interfaceID(firstTwo: bigint, lastFour: bigint): bigint {
  const turned = (firstTwo ^ 0x0200n) << 48n;
  return turned | ((lastFour >> 24n) << 40n) | (0xfffen << 24n) | (lastFour & 0xff_ffffn);
}
