// The process: the arguments in, the exit code out.
import { spareCompilers } from './spare-compilers.ts';

const args = process.argv.slice(2);
// A controller decides itself when they are worth their memory.
if (args[0] === 'controller') spareCompilers();
const [{ addMissing }, { nodeIo, written }, { runCli }] = await Promise.all([
  import('./node-22.ts'),
  import('./node-process.ts'),
  import('./run-cli.ts'),
]);
await addMissing();
const code = await runCli(nodeIo(), args);
await written();
process.exit(code);
