import { createNetworkWriter } from '@isthmus/dataplane';
import { ExitCode } from '../exit-code.ts';
import type { Io } from '../io.ts';

/** Removes what agents wrote on this Node. */
export async function cleanUp(io: Io): Promise<ExitCode> {
  await createNetworkWriter(io.runTool).remove();
  io.stdout.write('The network of this Node has nothing of Isthmus any more.\n');
  return ExitCode.ok;
}
