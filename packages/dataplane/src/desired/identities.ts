import type { NftSet } from '../network/network.ts';
import type { ClusterNetwork } from './cluster-network.ts';
import { tunnelDevices } from './devices.ts';
import { addressType, digit, keyword } from './nft-words.ts';
import { families } from './own-node.ts';
import { knownAs } from './virtual-cidrs.ts';

/**
 * Packets carry the number of the labels of the Pod that sent them ([ADR 0024](../../../../docs/adr/0024-identities.md)). In the header of a tunnel it is in the bits that VXLAN-GBP has for a
 * group; on a Node it is in the last three bytes of the source MAC address that the packet had in the tunnel, where no other program looks for anything: marks of packets belong to
 * kube-proxy and the CNI. The mark has it only between our last chain and the device.
 */

/** A Pod whose labels have no number here yet, or one that is too large. Peers of Antrea have 24 bits for it: 0xffffff. */
export const unknownIdentity = 0x3_ffff;

/** What the mark of a packet must be for a tunnel to carry this number. Of a mark, VXLAN-GBP carries 16 bits, and these two. */
export function identityMark(id: number): number {
  const carried = Number.isInteger(id) && id >= 0 && id < unknownIdentity ? id : unknownIdentity;
  return (carried & 0xffff) | (carried & 0x1_0000 ? lowFlag : 0) | (carried & 0x2_0000 ? highFlag : 0);
}

const lowFlag = 0x8_0000;
const highFlag = 0x40_0000;

/** The map from the addresses of the Pods of this Node to what the mark of their packets must be; its names end in the digit of the family. */
const identityMap = 'identity';

/** Of a VXLAN packet, counted in bits from the header of UDP: the three bytes that VXLAN-GBP uses, and the last three of the inner source MAC address. */
const groupBytes = ['@th,72,8', '@th,80,8', '@th,88,8'];
const sourceBytes = ['@th,200,8', '@th,208,8', '@th,216,8'];

/**
 * On a Node: the last three bytes of the source MAC address, without what else is in the first of them. All versions of nft make a number of this machine of what they shift; of other bytes of a packet, 1.0.6 does not, and 1.1.3 does.
 */
const arrived = '@ll,72,32 >> 8 & 0x0048ffff';

/**
 * Of a tunnel packet: notes the number that it brings, in the place where it stays until the packet leaves. The header is then as without a number, so that the kernel makes no mark of it; and as
 * the packet is another one, its checksum no longer applies (0: none). The kernel has not looked at it yet, so it takes the packet as one without.
 */
export const noteIdentity = [
  ...sourceBytes.map((byte, index) => `${byte} set ${groupBytes[index]}`),
  '@th,64,32 set 0x08000000',
  '@th,48,16 set 0',
].join(' ');

/**
 * Of a packet without a mark that goes into a tunnel, the marks. What passes through keeps the number that it came with; Pods of this Node get theirs, whatever they sent; everything else has none.
 */
export const identityMarks: readonly string[] = [
  `iifname ${tunnelDevices} meta mark set ${arrived}`,
  ...families.map((family) => `meta mark set ${keyword[family]} saddr map @${identityMap}${digit[family]}`),
];

/** The numbers of the Pods of this Node, by the addresses that they have for other clusters. */
export function identitySets({ identities = [], virtualCIDRs }: ClusterNetwork): ReadonlyMap<string, NftSet> {
  return new Map(
    families.map((family) => [
      `${identityMap}${digit[family]}`,
      {
        type: `type ${addressType[family]} : mark`,
        isInterval: false,
        elements: new Map(
          identities
            .filter(({ address }) => address.family === family)
            .map(({ address, id }) => [knownAs(address, virtualCIDRs), markText(identityMark(id))]),
        ),
      },
    ]),
  );
}

/** As nft prints it. */
const markText = (mark: number) => `0x${mark.toString(16).padStart(8, '0')}`;
