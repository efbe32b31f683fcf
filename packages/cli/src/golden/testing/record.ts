/** Runs command lines and writes down what a user sees of them. Test-only. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { printYamlDocuments } from '@isthmus/machinery';
import { isGroup } from '../../command/command.ts';
import type { CommandNode } from '../../command/command.ts';
import { runCli } from '../../run-cli.ts';
import { madeUpIo } from '../../testing/made-up-io.ts';

export type Files = Readonly<Record<string, string>>;

/** The text of a file of the repository. */
export function repositoryFile(path: string): string {
  return readFileSync(fileURLToPath(new URL(`../../../../../${path}`, import.meta.url)), 'utf8');
}

/** One run: its code and all that it printed. Errors: none; what goes wrong is printed. */
export async function run(line: string, files: Files = {}): Promise<Ran> {
  const io = madeUpIo({ files });
  const exit = await runCli(io, line === '' ? [] : line.split(' '));
  return { exit, out: io.out, err: io.err };
}

export interface Ran {
  readonly exit: number;
  readonly out: string;
  readonly err: string;
}

/**
 * One YAML document per command line: the line, the code, standard output and standard error where
 * there is any.
 */
export async function record(lines: readonly string[], files: Files = {}): Promise<string> {
  const documents: unknown[] = [];
  for (const line of lines) {
    const { exit, out, err } = await run(line, files);
    const told = { ...(out !== '' && { stdout: out }), ...(err !== '' && { stderr: err }) };
    documents.push({ command: `isthmus ${line}`.trim(), exit, ...told });
  }
  return printYamlDocuments(documents);
}

/** The words that lead to each command of a tree, groups aside. */
export function commandsOf(node: CommandNode): readonly string[] {
  if (!isGroup(node)) return [''];
  return node.commands.flatMap((child) => commandsOf(child).map((path) => `${child.name} ${path}`.trim()));
}

/** The words that lead to each group and command of a tree, the root's aside. */
export function pathsOf(node: CommandNode): readonly string[] {
  if (!isGroup(node)) return [''];
  const below = node.commands.flatMap((child) => pathsOf(child).map((path) => `${child.name} ${path}`.trim()));
  return ['', ...below];
}
