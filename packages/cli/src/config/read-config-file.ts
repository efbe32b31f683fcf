import { decodeControllerConfig } from '@isthmus/controlplane';
import type { ControllerConfig } from '@isthmus/controlplane';
import type { ReadFile } from '@isthmus/kube';
import { errorMessage, parseYaml, yamlFieldLines, YamlReadError } from '@isthmus/machinery';
import type { YamlDocument } from '@isthmus/machinery';
import { UsageError } from '../command/usage-error.ts';

/** A configuration as it was read. */
export interface ReadConfig {
  readonly config: ControllerConfig;
  /** Messages for the user who wrote the file; each names it. */
  readonly warnings: readonly string[];
}

/**
 * Reads a configuration file.
 *
 * Errors: {@link UsageError} with every problem found, one per line as
 * `file:line: field: what was found and what is expected`; for a file that cannot be read; for text
 * that is not valid YAML, with the place.
 */
export async function readConfigFile(
  path: string,
  readFile: ReadFile,
  at: { readonly podIP?: string | undefined } = {},
): Promise<ReadConfig> {
  const text = await textOf(path, readFile);
  const [document, second] = documentsOf(path, text);
  if (document === undefined) {
    throw wrong(path, [`${path}:1: the file is empty; it must contain a MultiClusterConfig`]);
  }
  if (second !== undefined) {
    throw wrong(path, [`${path}:${second.line}: a second document; the file must contain one MultiClusterConfig`]);
  }
  const decoded = decodeControllerConfig(document.value, at);
  if (decoded.kind === 'valid') {
    return { config: decoded.config, warnings: decoded.warnings.map((warning) => `${path}: ${warning}`) };
  }
  const lineOf = yamlFieldLines(text);
  const placed = decoded.problems.map((problem) => ({ ...problem, line: lineOf(problem.path) }));
  placed.sort((a, b) => a.line - b.line);
  throw wrong(
    path,
    placed.map(({ line, path: field, message }) => `${path}:${line}: ${field === '' ? '' : `${field}: `}${message}`),
  );
}

async function textOf(path: string, readFile: ReadFile): Promise<string> {
  try {
    return (await readFile(path)).text;
  } catch (error) {
    const why = errorMessage(error);
    throw new UsageError(`${why}; name another file with --config`, { cause: error });
  }
}

function documentsOf(path: string, text: string): readonly YamlDocument[] {
  try {
    return parseYaml(text, { source: path });
  } catch (error) {
    if (error instanceof YamlReadError) throw wrong(path, error.lines, error);
    throw error;
  }
}

function wrong(path: string, problems: readonly string[], cause?: YamlReadError): UsageError {
  const unlisted = cause?.unlisted ?? 0;
  const all = problems.length + unlisted;
  const count = all === 1 ? 'a problem' : `${all} problems`;
  const others = unlisted === 0 ? [] : [`and ${unlisted} more`];
  return new UsageError([`the configuration file ${path} has ${count}`, ...problems, ...others].join('\n'), { cause });
}
