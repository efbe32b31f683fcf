import type { ExitCode } from '../exit-code.ts';
import type { Io } from '../io.ts';
import type { FlagTable, GivenFlags } from './flag.ts';

interface Described {
  readonly name: string;
  /** One line, for the list of commands; begins with a verb, no full stop. */
  readonly summary: string;
  /** Paragraphs that follow the summary in the command's own help. */
  readonly description?: readonly string[] | undefined;
}

/** A line to type and what it does. */
export interface Example {
  readonly line: string;
  readonly does: string;
}

/** Something that `isthmus` does. */
export interface Command extends Described {
  readonly flags: FlagTable;
  readonly examples: readonly Example[];
  /**
   * Does it. Errors: {@link UsageError} for what the caller has to change; anything else is a failure of the run.
   */
  run(io: Io, flags: GivenFlags<FlagTable>): Promise<ExitCode>;
}

/** Several commands under one name. */
export interface CommandGroup extends Described {
  /** What the word after its name is, with its article, as `a role`. */
  readonly takes: string;
  readonly commands: readonly CommandNode[];
}

export type CommandNode = Command | CommandGroup;

export interface CommandInput<F extends FlagTable> extends Omit<Command, 'flags' | 'run'> {
  readonly flags: F;
  run(io: Io, flags: GivenFlags<F>): Promise<ExitCode>;
}

/** Declares a command; `run` knows the types of its flags. */
export function defineCommand<const F extends FlagTable>(command: CommandInput<F>): Command {
  // Sound: whoever runs it has parsed the values by this very table.
  return command;
}

export function isGroup(node: CommandNode): node is CommandGroup {
  return 'commands' in node;
}
