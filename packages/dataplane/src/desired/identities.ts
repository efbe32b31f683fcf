import { addressText } from '@isthmus/machinery';
import type { Network } from '../network/network.ts';
import type { Bits, Rule, Statement } from '../network/nft-rule.ts';
import { is } from '../network/nft-rule.ts';
import { addressType, digit, keyword } from '../network/nft-words.ts';
import type { ClusterNetwork } from './cluster-network.ts';
import { tunnelDevices } from './devices.ts';
import { families } from './own-node.ts';
import { knownAs } from './virtual-cidrs.ts';

/**
 * Packets carry the number of the labels of the Pod that sent them ([ADR
 * 0024](../../../../docs/adr/0024-identities.md)). The header of a tunnel has it in the bits of
 * VXLAN-GBP for a group. On a Node it is in the last three bytes of the source MAC address of the
 * tunnel, which no other program reads. Marks belong to kube-proxy and the CNI, so the mark has the
 * number only between our last chain and the device.
 */

/**
 * The number for labels without a number, or with one that is too large. Peers of Antrea have
 * 0xffffff for it.
 */
export const unknownIdentity = 0x3_ffff;

/**
 * The mark of a packet whose tunnel carries this number. VXLAN-GBP carries 16 bits, and the two
 * bits of 0x48_0000.
 */
export function identityMark(id: number): number {
  const carried = Number.isInteger(id) && id >= 0 && id < unknownIdentity ? id : unknownIdentity;
  return (carried & 0xffff) | (carried & 0x1_0000 ? lowFlag : 0) | (carried & 0x2_0000 ? highFlag : 0);
}

const lowFlag = 0x8_0000;
const highFlag = 0x40_0000;

/** The three bytes of a VXLAN packet that VXLAN-GBP uses, counted from the header of UDP. */
const groupBytes = [72, 80, 88].map(byteAt);
/** The last three bytes of the inner source MAC address. */
const sourceBytes = [200, 208, 216].map(byteAt);

function byteAt(offset: number): Bits {
  return { from: 'th', offset, length: 8 };
}

/**
 * The number in a packet on a Node: the last three bytes of its source MAC address. The shift makes
 * every version of nft read it as a number in the byte order of the machine. Without it, nft 1.0.6
 * does not convert the bytes.
 */
const arrived = { bits: { from: 'll', offset: 72, length: 32 }, shift: 8, mask: 0x48_ffff } as const;

/**
 * Moves the number of a tunnel packet to the place where it remains until the packet leaves. The
 * header then looks like a header without a number, so the kernel makes no mark of it. The packet
 * has changed, so its checksum no longer applies (0: none).
 */
export const moveIdentity: Rule = [
  ...sourceBytes.map((bits, index): Statement => ({ kind: 'write', bits, value: groupBytes[index] ?? 0 })),
  { kind: 'write', bits: { from: 'th', offset: 64, length: 32 }, value: 0x0800_0000 },
  { kind: 'write', bits: { from: 'th', offset: 48, length: 16 }, value: 0 },
];

/**
 * The marks of packets that go into a tunnel. A packet from a tunnel keeps its number. A packet of
 * a Pod of this Node gets the number of the Pod's labels, even if it had another. All others get
 * none.
 */
export const identityMarks: readonly Rule[] = [
  [is('iifname', tunnelDevices), { kind: 'mark', to: arrived }],
  ...families.map((family): Rule => [
    { kind: 'mark', to: { map: `identity${digit[family]}`, field: `${keyword[family]} saddr` } },
  ]),
];

/** The numbers of the Pods of this Node, by the addresses at which other clusters see them. */
export function identitySets({ identities = [], virtualCIDRs }: ClusterNetwork): Network['sets'] {
  return new Map(
    families.map((family) => [
      `identity${digit[family]}`,
      {
        type: `type ${addressType[family]} : mark`,
        isInterval: false,
        elements: new Map(
          identities
            .filter(({ address }) => address.family === family)
            .map(({ address, id }) => [addressText(knownAs(address, virtualCIDRs)), markText(identityMark(id))]),
        ),
      },
    ]),
  );
}

/** The mark in the format of nft's output. */
const markText = (mark: number) => `0x${mark.toString(16).padStart(8, '0')}` as const;
