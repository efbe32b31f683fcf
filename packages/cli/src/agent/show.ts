import { isAsDesired, observeNode, viewLines, viewNode, withLaterNft } from '@isthmus/dataplane';
import { documentText } from '../render/document-text.ts';
import { ExitCode } from '../command/exit-code.ts';
import type { Io } from '../world/io.ts';
import { askAgent } from './ask-agent.ts';
import type { ShowFlags } from './flags.ts';
import { healthAddressOf, healthFlag } from './settings.ts';

/**
 * Prints what the agent of this Node wants, and what its kernel has. Without an agent, or without
 * the programs that read the kernel, it prints the rest and what is missing. Fails where something
 * is missing or differs.
 */
export async function showNode(io: Io, flags: ShowFlags): Promise<ExitCode> {
  const at = healthAddressOf(flags);
  const { run } = withLaterNft({ run: io.runTool, watch: io.watchTool });
  const [status, observed] = await Promise.all([
    at === undefined ? { unknown: `--${healthFlag} is 0` } : askAgent(io, at),
    observeNode(run),
  ]);
  const view = viewNode({ status, observed });
  const { output = 'text' } = flags;
  io.stdout.write(output === 'text' ? `${viewLines(view, io.clock.now()).join('\n')}\n` : documentText(view, output));
  return isAsDesired(view) ? ExitCode.ok : ExitCode.failed;
}
