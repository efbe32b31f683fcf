// The process: the arguments in, the exit code out.
import { nodeIo, written } from './node-process.ts';
import { runCli } from './run-cli.ts';

const code = await runCli(nodeIo(), process.argv.slice(2));
await written();
process.exit(code);
