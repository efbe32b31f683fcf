// The command tree as data, for the reference page
export type { Command, CommandNode, Operand } from './command/command.ts';
export { isGroup } from './command/command.ts';
export type { Flag } from './command/flag.ts';
export { rootCommand } from './root-command.ts';
export { exitCodeMeanings } from './command/exit-code.ts';
