// The process: the arguments in, the exit code out.
import { nodeIo } from './node-process.ts';
import { runCli } from './run-cli.ts';

process.exit(await runCli(nodeIo(), process.argv.slice(2)));
