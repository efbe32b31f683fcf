import { errorMessage } from '@isthmus/machinery';
import type { ConfigKind } from '@isthmus/schema';
import { problemLine, readFile } from '@isthmus/upgrade';
import type { Problem, ReadResult } from '@isthmus/upgrade';
import type { Io } from '../../world/io.ts';
import { UsageError } from '../../command/usage-error.ts';
import type { ShownFinding } from '../output/shown-finding.ts';
import { unfollowedLink } from './beside-objects.ts';

/** A file of one of our kinds as it was read. */
export type Input<T> = Extract<ReadResult<T>, { readonly kind: 'read' }>;

/**
 * Reads a file of a kind. Errors: {@link UsageError} with every problem, one per line, or where it
 * cannot be read at all.
 */
export async function readInput<T>(io: Pick<Io, 'readFile'>, kind: ConfigKind<T>, path: string): Promise<Input<T>> {
  const result = readFile(kind, await readText(io, path), path);
  if (result.kind === 'refused') throw wrongFile(path, result.problems, result.unlisted);
  return result;
}

/**
 * The text of a file. Errors: {@link UsageError} that names it, also for one in UTF-16, as older
 * versions of PowerShell write the output of a command.
 */
export async function readText(io: Pick<Io, 'readFile'>, path: string): Promise<string> {
  let text: string;
  try {
    text = (await io.readFile(path)).text;
  } catch (error) {
    throw new UsageError(errorMessage(error), { cause: error });
  }
  if (text.includes('\0')) throw new UsageError(`cannot read ${path}: ${notUtf8}`);
  return text;
}

const notUtf8 = 'it is not text in UTF-8. Save it in UTF-8, in PowerShell with Out-File -Encoding utf8';

/** Whether an error of {@link readText} is about the encoding of a file. */
export function isOtherEncoding(error: unknown): boolean {
  return error instanceof UsageError && error.message.endsWith(notUtf8);
}

/**
 * The files of a path: itself, or all below it. Links that are not followed are added to `aside`.
 * Errors: {@link UsageError} that names the path.
 */
export async function filesBelow(
  io: Pick<Io, 'listFiles'>,
  path: string,
  aside: ShownFinding[],
  isMeant: (file: string) => boolean = () => true,
): Promise<readonly string[]> {
  try {
    const { files, links } = await io.listFiles(path);
    aside.push(...links.filter((link) => link.to === 'folder' || isMeant(link.path)).map(unfollowedLink));
    return files.filter((file) => file === path || isMeant(file));
  } catch (error) {
    throw new UsageError(errorMessage(error), { cause: error });
  }
}

/** The problems of a file, for the user who wrote it; `unlisted` problems are only counted. */
export function wrongFile(path: string, problems: readonly Problem[], unlisted = 0): UsageError {
  const all = problems.length + unlisted;
  const count = all === 1 ? 'a problem' : `${all} problems`;
  const others = unlisted === 0 ? [] : [`and ${unlisted} more`];
  return new UsageError([`${path} has ${count}`, ...problems.map(problemLine), ...others].join('\n'));
}
