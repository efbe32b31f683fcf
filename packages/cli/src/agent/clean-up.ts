import { createNetworkWriter } from '@isthmus/dataplane';
import { ExitCode } from '../exit-code.ts';
import type { Io } from '../io.ts';

/** Removes what agents wrote on this Node. */
export async function cleanUp(io: Io): Promise<ExitCode> {
  await createNetworkWriter(io.runTool).remove();
  io.stdout.write('Everything that Isthmus wrote to the network of this Node is removed.\n');
  return ExitCode.ok;
}
