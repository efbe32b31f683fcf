// The process: the arguments in, the exit code out.
import { spareCompilers } from './spare-compilers.ts';

const args = process.argv.slice(2);
// What runs as long as its Pod decides itself when they are worth their memory.
if (/^(?:controller|dns|agent run)\b/.test(args.join(' '))) spareCompilers();
const [{ addMissing }, { nodeIo, written }, { runCli }] = await Promise.all([
  import('./node-22.ts'),
  import('./node-process.ts'),
  import('./run-cli.ts'),
]);
await addMissing();
const code = await runCli(nodeIo(), args);
await written();
process.exit(code);
