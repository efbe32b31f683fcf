import { createNetworkWriter, withLaterNft } from '@isthmus/dataplane';
import { errorMessage } from '@isthmus/machinery';
import { ExitCode } from '../command/exit-code.ts';
import type { Io } from '../world/io.ts';
import { askAgent } from './ask-agent.ts';
import type { CleanUpFlags } from './flags.ts';
import { healthAddressOf } from './settings.ts';

/**
 * Removes what agents wrote on this Node. Errors: throws where an agent runs, which would write it
 * again, and where a program cannot be run, or fails.
 */
export async function cleanUp(io: Io, flags: CleanUpFlags): Promise<ExitCode> {
  const at = healthAddressOf(flags);
  const status = at === undefined ? undefined : await askAgent(io, at);
  if (status !== undefined && !('unknown' in status))
    throw new Error(
      `nothing is removed: the agent of Node ${status.node} runs on this machine, and would write its network again. Stop it first; if its DaemonSet has it: kubectl delete daemonset isthmus-agent -n kube-system`,
    );
  const { run } = withLaterNft({ run: io.runTool, watch: io.watchTool });
  try {
    await createNetworkWriter(run).remove();
  } catch (error) {
    const why = errorMessage(error);
    throw new Error(
      `cannot remove what Isthmus wrote to the network of this machine: ${why}. It needs Linux, root with the capability NET_ADMIN, and the programs ip, bridge, nft and, with encryption, wg. The image of the agent contains them`,
      { cause: error },
    );
  }
  io.stdout.write('Everything that Isthmus wrote to the network of this Node is removed.\n');
  return ExitCode.ok;
}
