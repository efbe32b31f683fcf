import { parseCommandLine } from './command/parse-command-line.ts';
import { ExitCode } from './command/exit-code.ts';
import type { Io } from './world/io.ts';
import { failureMessage } from './render/failure-message.ts';
import type { Output } from './render/output.ts';
import { plainOutput } from './render/paint.ts';
import { printableOutput } from './render/printable-output.ts';
import { rootCommand } from './root-command.ts';
import { UsageError } from './command/usage-error.ts';
import { versionLine } from './version/version.ts';

/**
 * Runs the command for `args` (without the program's name), and resolves to the exit code. Never
 * rejects: errors are printed to standard error.
 */
export async function runCli(world: Io, args: readonly string[]): Promise<number> {
  const columns = Number(world.env['COLUMNS']) || world.stdout.columns;
  const parsed = parseCommandLine(rootCommand, args, { version: versionLine(), columns });
  const mayColour = parsed.kind === 'print' || parsed.mayColour;
  const output = (to: Output) => printableOutput(mayColour ? to : plainOutput(to));
  const io: Io = { ...world, stdout: output(world.stdout), stderr: output(world.stderr) };
  if (parsed.kind === 'print') {
    if (parsed.stdout !== '') io.stdout.write(parsed.stdout);
    if (parsed.stderr !== '') io.stderr.write(parsed.stderr);
    return parsed.exitCode;
  }
  try {
    return await parsed.command.run(io, parsed.flags, parsed.operands);
  } catch (error) {
    io.stderr.write({ style: 'bad', text: 'error:' }, ` ${failureMessage(error)}\n`);
    return error instanceof UsageError ? parsed.usageExit : ExitCode.failed;
  }
}
