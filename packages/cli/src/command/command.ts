import type { ExitCode } from './exit-code.ts';
import type { Io } from '../world/io.ts';
import type { FlagTable, GivenFlags } from './flag.ts';

interface Described {
  readonly name: string;
  /** One line, for the list of commands; begins with a verb, no full stop. */
  readonly summary: string;
  /** Paragraphs that follow the summary in the command's own help. */
  readonly description?: readonly string[] | undefined;
  /**
   * The exit code for wrong arguments, here and in all commands below that do not set another.
   * Default: {@link ExitCode.usage}.
   */
  readonly usageExit?: ExitCode | undefined;
}

/** A word that a command takes without a flag, as `FILE`. */
export interface Operand {
  /** Its placeholder in help, as `file`. */
  readonly name: string;
  /** Its meaning, without a full stop at the end. */
  readonly summary: string;
  /** Whether further words follow that mean the same; only of the last one. */
  readonly many?: boolean | undefined;
  /** Whether it may be left out; only of the last one. */
  readonly optional?: boolean | undefined;
}

/** A line to type and what it does. */
export interface Example {
  readonly line: string;
  readonly does: string;
}

/** Something that `isthmus` does. */
export interface Command extends Described {
  /** The words that it takes, in their order. Default: none. */
  readonly operands?: readonly Operand[] | undefined;
  readonly flags: FlagTable;
  readonly examples: readonly Example[];
  /**
   * Runs the command with as many operands as it takes, none of them empty. Errors:
   * {@link UsageError} for problems that the caller has to fix; any other error is a failure of the
   * run. Only a command that runs a program for the caller resolves to the code of that program,
   * instead of one of {@link ExitCode}.
   */
  run(io: Io, flags: GivenFlags<FlagTable>, operands: readonly string[]): Promise<number>;
}

/** Several commands under one name. */
export interface CommandGroup extends Described {
  /** The kind of word after its name, with its article, as `a role`. */
  readonly takes: string;
  readonly commands: readonly CommandNode[];
}

export type CommandNode = Command | CommandGroup;

export interface CommandInput<F extends FlagTable> extends Omit<Command, 'flags' | 'run'> {
  readonly flags: F;
  run(io: Io, flags: GivenFlags<F>, operands: readonly string[]): Promise<number>;
}

/** Declares a command; `run` knows the types of its flags. */
export function defineCommand<const F extends FlagTable>(command: CommandInput<F>): Command {
  // Sound: the caller has parsed the values by this very table.
  return command;
}

export function isGroup(node: CommandNode): node is CommandGroup {
  return 'commands' in node;
}
