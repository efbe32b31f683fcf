// The process: the arguments in, the exit code out.
import { addMissing } from './node-22.ts';
import { nodeIo, written } from './node-process.ts';
import { runCli } from './run-cli.ts';

await addMissing();
const code = await runCli(nodeIo(), process.argv.slice(2));
await written();
process.exit(code);
