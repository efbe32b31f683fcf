import { parseCommandLine } from './command/parse-command-line.ts';
import { ExitCode } from './exit-code.ts';
import type { Io } from './io.ts';
import { printableOutput } from './printable-output.ts';
import { rootCommand } from './root-command.ts';
import { UsageError } from './usage-error.ts';
import { versionLine } from './version/version.ts';

/**
 * Runs the command that `args` (without the program's name) ask for, and gives the code to exit with. Never rejects: what goes wrong is
 * printed to standard error.
 */
export async function runCli(world: Io, args: readonly string[]): Promise<ExitCode> {
  const io: Io = { ...world, stdout: printableOutput(world.stdout), stderr: printableOutput(world.stderr) };
  const parsed = parseCommandLine(rootCommand, args, { version: versionLine() });
  if (parsed.kind === 'print') {
    if (parsed.stdout !== '') io.stdout.write(parsed.stdout);
    if (parsed.stderr !== '') io.stderr.write(parsed.stderr);
    return parsed.exitCode;
  }
  try {
    return await parsed.command.run(io, parsed.flags, parsed.operands);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    io.stderr.write({ style: 'bad', text: 'error:' }, ` ${why}\n`);
    return error instanceof UsageError ? parsed.usageExit : ExitCode.failed;
  }
}
