import { startPacketLab } from '@isthmus/testkit';
import type { PacketLab, PacketLabOptions } from '@isthmus/testkit';
import { desiredNetwork } from '../desired/desired-network.ts';
import { withGoneEndpoints } from '../desired/gone-endpoints.ts';
import { forgetFlows } from '../kernel/forget-flows.ts';
import { writeBatches } from '../kernel/write-network.ts';
import { diffNetworks } from '../network/diff.ts';
import type { Network } from '../network/network.ts';
import { emptyNetwork } from '../network/network.ts';
import { renderChange } from '../network/render.ts';
import type { LabNetworkOptions } from './lab-network.ts';
import { labNetwork } from './lab-network.ts';

/** A lab whose Nodes have the networks that they should. */
export interface ProgrammedLab extends Pick<PacketLab, 'clusters' | 'node' | 'pod'>, AsyncDisposable {
  /**
   * Writes the changes for another set of gateways, or of imported Services, on all Nodes or on
   * `nodes`. Like the agent, it forgets flows to endpoints that are gone. Otherwise a later client
   * with the port of an earlier one would still reach them.
   */
  program(next: LabState, nodes?: readonly string[]): Promise<void>;
}

export type LabState = LabNetworkOptions;

export async function startProgrammedLab(options: PacketLabOptions): Promise<ProgrammedLab> {
  const lab = await startPacketLab(options);
  const all = Object.values(lab.clusters).flatMap(({ nodes }) => nodes);
  const written = new Map<string, { readonly network: Network; readonly state: LabState }>();
  const { clusters, node, pod } = lab;
  return {
    clusters,
    node,
    pod,
    async program(state, names = all.map(({ layout }) => layout.name)) {
      await Promise.all(
        names.map(async (name) => {
          const desired = desiredNetwork(labNetwork(lab, node(name), state));
          const { run } = node(name).place;
          const before = written.get(name);
          await writeBatches(renderChange(diffNetworks(before?.network ?? emptyNetwork, desired)), run);
          written.set(name, { network: desired, state });
          await forgetFlows(withGoneEndpoints(before?.state.services ?? [], state.services), run);
        }),
      );
    },
    [Symbol.asyncDispose]: () => lab[Symbol.asyncDispose](),
  };
}
