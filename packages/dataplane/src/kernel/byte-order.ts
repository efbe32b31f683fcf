import { arrivedRule } from '../desired/identities.ts';
import { toolOutput } from './tool-output.ts';
import type { RunProgram } from './write-network.ts';

const table = 'inet isthmus-check';

/**
 * Whether `nft` turns bytes of a packet into a number of this machine where a rule makes a mark of them. Version 1.0.6 does not, and the rules about numbers of labels rely on that; 1.1.3 does, and packets would bear wrong numbers. Nothing
 * is written. Errors: throws where `nft` cannot be run, or fails.
 */
export async function convertsMarks(run: RunProgram): Promise<boolean> {
  const rules = [`add table ${table}`, `add chain ${table} c`, `add rule ${table} c ${arrivedRule}`];
  const check: RunProgram = (program, args) => run(program, args, `${rules.join('\n')}\n`);
  const said = await toolOutput(check, 'try a rule of nft', 'nft', ['--check', '--debug=netlink', '-f', '-']);
  return /link header \+ 9[^]*?meta set mark/.exec(said)?.[0].includes('byteorder') === true;
}
