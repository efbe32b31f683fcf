import { firstOf } from '@isthmus/machinery';
import type { NetworkChange } from '../network/diff.ts';
import { diffNetworks, isNoChange } from '../network/diff.ts';
import type { Network, WireGuardLink } from '../network/network.ts';
import { emptyNetwork } from '../network/network.ts';
import type { LeftTable } from '../network/render.ts';
import { renderChange } from '../network/render.ts';
import type { OwnChanges } from './own-changes.ts';
import { readNetwork } from './read-network.ts';
import { readNftTable } from './read-nft-table.ts';
import { readTable, tableDrift } from './read-table.ts';
import { withoutRoaming } from './read-wireguards.ts';
import { wireGuardDevices } from './wireguard-device.ts';
import type { RunProgram } from './write-network.ts';
import { NotWritten, writeBatches } from './write-network.ts';

/** Keeps the network of a Node as it should be. Its calls run one after the other. */
export interface NetworkWriter {
  /**
   * Writes the difference to the last network. The first time, and after a failure, it is the
   * difference to the kernel. Connections continue meanwhile. Resolves to whether anything was
   * written. Errors: those of {@link writeBatches}. After an error only a part is written, and the
   * next call begins with reading.
   */
  write(desired: Network): Promise<boolean>;
  /**
   * Compares the last written network with the kernel. Resolves to the differences, as sentences;
   * the next write then repairs them. Resolves to no differences before the first write. It reads
   * everything, so it should be called rarely. Errors: throws if a program cannot be run.
   */
  audit(): Promise<readonly string[]>;
  /** The public key of the last written WireGuard device; undefined if there is none. */
  readonly publicKey: string | undefined;
  /** Removes everything of the agent. The Node is then as it was before the agent. */
  remove(): Promise<void>;
}

/** `ownChanges` is notified before the nft table is written. Default: no notification. */
export function createNetworkWriter(run: RunProgram, ownChanges?: Pick<OwnChanges, 'expect'>): NetworkWriter {
  let written: Network | undefined;
  /** The content of the nft table of that network, as the kernel has it. */
  let printed: { readonly of: Network; readonly fingerprint: string | undefined } | undefined;
  let publicKey: string | undefined;
  /** Whether nft rejected the last transaction. Parts that cannot be changed may be the reason. */
  let isRejected = false;
  const devices = wireGuardDevices(run);

  /**
   * Creates WireGuard devices, and then runs `rest`, which also writes their peers and routes.
   * Without a device, these fail, but everything that is not encrypted is still written.
   */
  async function withWireGuards(links: Iterable<WireGuardLink>, rest: () => Promise<void>): Promise<void> {
    try {
      for (const link of links) publicKey = await devices.put(link);
    } catch (error) {
      await rest().catch(() => {});
      throw error;
    }
    await rest();
  }

  async function write(desired: Network): Promise<boolean> {
    const last = written;
    const known = last && diffNetworks(last, desired);
    if (known !== undefined && isNoChange(known)) return false;
    written = undefined;
    if (known !== undefined) {
      await withWireGuards(known.wireGuards.put, async () => {
        if (known.sets.size + known.chains.size > 0 && !known.isTableGone)
          ownChanges?.expect([...known.sets.keys(), ...known.chains.keys()]);
        await apply(known);
      });
    } else {
      // A device that was created now is also read, without peers and routes.
      await withWireGuards(desired.wireGuards.values(), async () => {
        const table = await readNftTable(run);
        const found = { ...(await readNetwork(run)), sets: table?.kept ?? emptyNetwork.sets };
        await apply(diffNetworks(found, desired), table && { ...table.left, isRemade: isRejected });
      });
    }
    written = desired;
    return true;
  }

  async function apply(change: NetworkChange, left?: LeftTable): Promise<void> {
    try {
      await writeBatches(renderChange(change, { left }), run);
      isRejected = false;
    } catch (error) {
      isRejected = error instanceof NotWritten && error.programs.has('nft');
      throw error;
    }
    for (const { name } of change.wireGuards.remove) {
      await devices.remove(name);
      publicKey = undefined;
    }
  }

  async function audit(): Promise<readonly string[]> {
    if (written === undefined) return [];
    const { sets, chains } = written;
    const found = await readNetwork(run);
    const wireGuardPeers = withoutRoaming(found.wireGuardPeers, written.wireGuardPeers);
    const change = diffNetworks({ ...found, wireGuardPeers, sets, chains }, written);
    const table = await readTable(run);
    const drift = [...driftOf(change), ...(await keyDrift(written.wireGuards)), ...tableDrift(written, table)];
    // Counts do not show that a rule was replaced.
    if (drift.length === 0 && printed?.of === written && printed.fingerprint !== table?.fingerprint)
      drift.push('the content of the nft table differs');
    printed = { of: written, fingerprint: table?.fingerprint };
    if (drift.length > 0) written = undefined;
    return drift;
  }

  /**
   * Other gateways know the published key: with another key, no packet arrives. The next write
   * reads the key of the device.
   */
  async function keyDrift(wireGuards: Network['wireGuards']): Promise<readonly string[]> {
    const found: string[] = [];
    for (const name of wireGuards.keys())
      if ((await devices.publicKey(name)) !== publicKey)
        found.push(`the key of WireGuard device ${name} is another one`);
    return found;
  }

  return {
    write,
    audit,
    get publicKey() {
      return publicKey;
    },
    async remove() {
      await write(emptyNetwork);
    },
  };
}

function driftOf({
  links,
  peers,
  nextHops,
  routes,
  rules,
  wireGuards,
  wireGuardPeers,
}: NetworkChange): readonly string[] {
  const kinds = {
    links,
    peers,
    'next hops': nextHops,
    routes,
    rules,
    'WireGuard devices': wireGuards,
    'WireGuard peers': wireGuardPeers,
  };
  return Object.entries(kinds).flatMap(([kind, { put, remove }]) => [
    ...(put.length === 0 ? [] : [`${kind} are missing or differ: ${named(put)}`]),
    ...(remove.length === 0 ? [] : [`${kind} exist but are not wanted: ${named(remove)}`]),
  ]);
}

/** The names of the first few items. */
function named(items: readonly object[]): string {
  return firstOf(items, 3, (item) => JSON.stringify(item)).join(', ');
}
