// The one module that knows commander.
import { errorMessage } from '@isthmus/machinery';
import { Argument, Command as Parser, CommanderError, InvalidArgumentError, Option } from 'commander';
import { ExitCode } from './exit-code.ts';
import type { Command, CommandGroup, CommandNode, Operand } from './command.ts';
import { isGroup } from './command.ts';
import { alternatives } from './flag.ts';
import type { Flag, FlagTable, GivenFlags } from './flag.ts';

/** The result of reading a command line. */
export type ParsedCommandLine =
  | {
      readonly kind: 'run';
      readonly command: Command;
      readonly flags: GivenFlags<FlagTable>;
      readonly operands: readonly string[];
      /** `--no-color` was not given. */
      readonly mayColour: boolean;
      /** The exit code for a {@link UsageError} of the run. */
      readonly usageExit: ExitCode;
    }
  /** Help, the version, or an error: nothing is left to do but to print it. */
  | { readonly kind: 'print'; readonly stdout: string; readonly stderr: string; readonly exitCode: ExitCode };

export interface CommandLineOptions {
  /** The width of the terminal. Default: help is as wide as in the reference page. */
  readonly columns?: number | undefined;
  /** The output of `--version`, without a line end. */
  readonly version: string;
}

/**
 * Reads the arguments after the program's name. Pure: neither prints nor ends anything. Without
 * arguments the help of `root` is printed; a word or a flag that is not known, a value that cannot
 * be read, and a group without a command are errors, which suggest the right word where one is
 * near.
 */
export function parseCommandLine(
  root: CommandGroup,
  args: readonly string[],
  options: CommandLineOptions,
): ParsedCommandLine {
  const written = { stdout: '', stderr: '' };
  const width = Math.max(leastHelpWidth, Math.min(helpWidth, options.columns ?? helpWidth));
  let chosen: ParsedCommandLine | undefined;
  let refusedWith: ExitCode = ExitCode.usage;
  const build = (node: CommandNode, path: string, inherited: ExitCode): Parser => {
    const usageExit = node.usageExit ?? inherited;
    const parser = new Parser(node.name)
      .summary(node.summary)
      .description([`${node.summary}.`, ...(node.description ?? [])].join('\n\n'))
      .helpOption('-h, --help', 'print this help')
      .option('--no-color', 'print without colours')
      .configureHelp({ subcommandTerm: termOf, minWidthToWrap: 20 })
      .showHelpAfterError(`Run '${path} --help' for usage.`)
      .configureOutput({
        writeOut: (text) => void (written.stdout += text),
        writeErr: (text) => void (written.stderr += text),
        // The same in every terminal that is wide enough, in a pipe and in the reference page.
        getOutHelpWidth: () => width,
        getErrHelpWidth: () => width,
        getOutHasColors: () => false,
        getErrHasColors: () => false,
      })
      .exitOverride((error) => {
        refusedWith = usageExit;
        // Commander answers a group without a command with its help on standard error. The missing
        // command is reported instead.
        if (isGroup(node) && error.code === 'commander.help' && error.exitCode !== 0) {
          const names = alternatives(node.commands.map(({ name }) => name));
          written.stderr = `error: '${path}' needs ${node.takes}: ${names}\nRun '${path} --help' for usage.\n`;
        }
        throw error;
      });
    if (isGroup(node)) {
      for (const command of node.commands) parser.addCommand(build(command, `${path} ${command.name}`, usageExit));
      parser.helpCommand('help [command]', 'print the help of a command');
      return parser;
    }
    const made = Object.entries(node.flags).map(([name, flag]) => [name, optionOf(name, flag)] as const);
    for (const [, option] of made) parser.addOption(option);
    for (const operand of node.operands ?? []) parser.addArgument(argumentOf(operand));
    if (node.examples.length > 0) parser.addHelpText('after', examplesText(node));
    return parser.action(() => {
      const flags = made.map(([name, option]) => [name, parser.getOptionValue(option.attributeName()) as unknown]);
      chosen = {
        kind: 'run',
        command: node,
        flags: Object.fromEntries(flags) as GivenFlags<FlagTable>,
        operands: parser.args,
        mayColour: ancestorsOf(parser).every((each) => each.getOptionValue('color') !== false),
        usageExit,
      };
    });
  };
  const parser = build(root, root.name, ExitCode.usage).version(options.version, '--version', 'print the version');
  try {
    if (args.length === 0) parser.outputHelp();
    else parser.parse(helpAsFlag(root, args), { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return { kind: 'print', ...written, exitCode: error.exitCode === 0 ? ExitCode.ok : refusedWith };
  }
  return chosen ?? { kind: 'print', ...written, exitCode: ExitCode.ok };
}

/** A command in the list of its group: all have flags, so these are not mentioned. */
function termOf(command: Parser): string {
  const operands = command.registeredArguments.map((each) => {
    const words = each.variadic ? `${each.name()}...` : each.name();
    return each.required ? `<${words}>` : `[${words}]`;
  });
  return [command.name(), ...operands].join(' ');
}

/**
 * A command and the groups that it is in: a flag that all of them have may be given after any of
 * their names.
 */
function ancestorsOf(parser: Parser): readonly Parser[] {
  return parser.parent === null ? [parser] : [parser, ...ancestorsOf(parser.parent)];
}

/**
 * `help upgrade plan` as `upgrade plan --help`, at any depth: Commander's own help command looks
 * one level down. A word that is not a command is left for Commander to reject.
 */
function helpAsFlag(root: CommandGroup, args: readonly string[]): readonly string[] {
  const at = args.indexOf('help');
  if (at === -1) return args;
  const words = args.slice(at + 1).filter((word) => !word.startsWith('-'));
  const group = nodeAt(root, args.slice(0, at));
  if (group === undefined || !isGroup(group)) return args;
  const path = [...args.slice(0, at), ...words];
  return nodeAt(group, words) === undefined ? path : [...path, '--help'];
}

/** The command or group that these words name; undefined where there is none. */
function nodeAt(from: CommandNode, words: readonly string[]): CommandNode | undefined {
  return words.reduce<CommandNode | undefined>(
    (node, word) => (node !== undefined && isGroup(node) ? node.commands.find(({ name }) => name === word) : undefined),
    from,
  );
}

const helpWidth = 110;
/** Below it, the summaries of flags have no room beside their names. */
const leastHelpWidth = 50;

function optionOf(name: string, flag: Flag<unknown>): Option {
  // The value of a switch is optional, so that `--x=false` can be written.
  const value = flag.placeholder === undefined ? '[true|false]' : `<${flag.placeholder}>`;
  const summary = flag.absent === undefined ? flag.summary : `${flag.summary} (default: ${flag.absent})`;
  const short = flag.short === undefined ? '' : `-${flag.short}, `;
  let list: string | undefined;
  // Commander itself makes true of a switch without a value. Of Go's form `-v=4` it leaves `=4`.
  const option = new Option(`${short}--${name} ${value}`, summary).argParser((given) => {
    const text = short === '' ? given : given.replace(/^=/, '');
    const one = readBy(flag, text);
    if (flag.isList !== true) return one;
    const isFirst = list === undefined;
    list = isFirst ? text : `${list},${text}`;
    return isFirst ? one : readBy(flag, list);
  });
  return flag.group === undefined ? option : option.helpGroup(`${flag.group}:`);
}

function argumentOf({ name, summary, many, optional }: Operand): Argument {
  const words = many === true ? `${name}...` : name;
  const argument = new Argument(optional === true ? `[${words}]` : `<${words}>`, summary);
  return argument.argParser((text) => {
    if (text === '') throw new InvalidArgumentError('It must not be empty.');
    return text;
  });
}

function readBy(flag: Flag<unknown>, text: string): unknown {
  try {
    return flag.parse(text);
  } catch (error) {
    throw new InvalidArgumentError(errorMessage(error));
  }
}

function examplesText(command: Command): string {
  return ['', 'Examples:', ...command.examples.flatMap(({ line, does }) => [`  # ${does}`, `  ${line}`])].join('\n');
}
