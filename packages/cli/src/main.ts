// The process: the arguments in, the exit code out.
import { fileURLToPath } from 'node:url';
import { olderThanRequired } from './world/required-node.ts';
import { sandboxPrograms } from './sandbox/network/programs/names.ts';
import { spareCompilers } from './world/spare-compilers.ts';

// Before anything else is loaded: an older Node lacks methods that a controller would first miss
// while it holds its Lease.
const tooOld = olderThanRequired(process.version);
if (tooOld !== undefined) {
  process.stderr.write(`${tooOld}\n`);
  process.exit(1);
}
const args = process.argv.slice(2);
// Processes that run as long as their Pod decide themselves when the compilers are worth their
// memory.
if (/^(?:controller|dns|agent run)\b/.test(args.join(' '))) spareCompilers();
// The programs of a sandbox with a network, in its Nodes and Pods, need nothing of the rest.
if (args[0] === sandboxPrograms.pod) await runPod(args.slice(1));
else if (args[0] === sandboxPrograms.node) await runNode(args.slice(1));
else await runCommand();

async function runPod(given: readonly string[]): Promise<void> {
  const { runPodProgram } = await import('./sandbox/network/programs/pod-program.ts');
  await runPodProgram(given);
}

async function runNode(given: readonly string[]): Promise<void> {
  const { runNodeProgram } = await import('./sandbox/network/programs/node-program.ts');
  await runNodeProgram(given);
}

async function runCommand(): Promise<never> {
  await addMissing();
  const [{ nodeIo, written }, { runCli }] = await Promise.all([
    import('./world/node-process.ts'),
    import('./run-cli.ts'),
  ]);
  const code = await runCli(nodeIo(fileURLToPath(import.meta.url)), args);
  await written();
  process.exit(code);
}

/**
 * Adds what the program uses of the language and Node 22 does not have. Node 24 has all of it, and
 * nothing is loaded.
 */
async function addMissing(): Promise<void> {
  if (typeof AsyncDisposableStack === 'undefined') await import('core-js/actual/async-disposable-stack/index.js');
}
