import { diffNetworks, isNoChange } from '../network/diff.ts';
import type { Network } from '../network/network.ts';
import { emptyNetwork } from '../network/network.ts';
import { renderChange } from '../network/render.ts';
import { readNetwork } from './read-network.ts';
import { readNftTable } from './read-nft-table.ts';
import type { RunProgram } from './write-network.ts';
import { writeBatches } from './write-network.ts';

/** Keeps the network of a Node as it should be. Its calls are made one after the other. */
export interface NetworkWriter {
  /**
   * Writes what differs from the last time; the first time, and after a failure, from what is in the kernel. Connections go on meanwhile. Resolves to whether anything
   * was written. Errors: what {@link writeBatches} says; then only a part is written, and the next call begins with reading.
   */
  write(desired: Network): Promise<boolean>;
  /** Removes all of it; the Node is then as it was before the agent. */
  remove(): Promise<void>;
}

export function createNetworkWriter(run: RunProgram): NetworkWriter {
  let written: Network | undefined;

  async function write(desired: Network): Promise<boolean> {
    const known = written;
    const table = known === undefined ? await readNftTable(run) : undefined;
    const before = known ?? { ...(await readNetwork(run)), sets: table?.kept ?? emptyNetwork.sets };
    const change = diffNetworks(before, desired);
    if (known !== undefined && isNoChange(change)) return false;
    written = undefined;
    await writeBatches(renderChange(change, { left: table?.left }), run);
    written = desired;
    return true;
  }

  return {
    write,
    async remove() {
      await write(emptyNetwork);
    },
  };
}
