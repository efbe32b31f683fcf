import { startPacketLab } from '@isthmus/testkit';
import type { PacketLab, PacketLabOptions } from '@isthmus/testkit';
import { desiredNetwork } from '../desired/desired-network.ts';
import type { NetworkWriter } from '../kernel/network-writer.ts';
import { createNetworkWriter } from '../kernel/network-writer.ts';
import { labNetwork } from './lab-network.ts';
import type { LabState } from './programmed-lab.ts';

/** A lab whose gateways encrypt what they send to each other. */
export interface EncryptedLab extends Pick<PacketLab, 'node' | 'pod'>, AsyncDisposable {
  /** Writes the networks of all Nodes, until all know the keys of all gateways. */
  program(state: LabState): Promise<void>;
  /**
   * Restarts the agent of a Node: the next time, it reads the existing network. `without`: a
   * program that it cannot run any more.
   */
  restart(node: string, without?: string): void;
  writer(node: string): NetworkWriter;
}

export async function startEncryptedLab(options: PacketLabOptions): Promise<EncryptedLab> {
  const lab = await startPacketLab(options);
  const all = Object.values(lab.clusters).flatMap(({ nodes }) => nodes);
  const writers = new Map(all.map((node) => [node.layout.name, createNetworkWriter(node.place.run)]));
  const writer = (name: string) => {
    const found = writers.get(name);
    if (found === undefined) throw new Error(`the lab has no Node ${name}`);
    return found;
  };
  let keys: ReadonlyMap<string, string> = new Map();
  const { node, pod } = lab;
  async function program(state: LabState): Promise<void> {
    const written = keys;
    await Promise.all(
      all.map((one) =>
        writer(one.layout.name).write(desiredNetwork(labNetwork(lab, one, { ...state, publicKeys: written }))),
      ),
    );
    keys = new Map(
      [...writers].flatMap(([name, { publicKey }]) => (publicKey === undefined ? [] : [[name, publicKey]])),
    );
    if ([...keys].some(([name, key]) => written.get(name) !== key)) await program(state);
  }
  return {
    node,
    pod,
    writer,
    restart(name, without) {
      const { run } = node(name).place;
      const limited: typeof run = (program, ...call) =>
        program === without
          ? Promise.reject(new Error(`cannot run ${program}: spawn ${program} ENOENT`))
          : run(program, ...call);
      writers.set(name, createNetworkWriter(limited));
    },
    program,
    [Symbol.asyncDispose]: () => lab[Symbol.asyncDispose](),
  };
}
