import { YamlReadError, parseYaml } from '@isthmus/machinery';
import type { YamlDocument } from '@isthmus/machinery';

/**
 * Reads the one YAML (or JSON) document of a kubeconfig; `undefined` if it is empty. Throws an
 * Error that names only the source and the line: the reader's message can repeat a part of a broken
 * line, which may contain a token.
 */
export function parseKubeconfigYaml(text: string, source: string): unknown {
  const documents = read(text, source);
  if (documents instanceof YamlReadError) {
    const [line, column] = /^:(\d+):(\d+): /.exec(documents.message.slice(source.length))?.slice(1) ?? [];
    const place = line === undefined ? source : `${source}:${line}:${column}`;
    throw new Error(`${place}: not valid YAML; the text is not shown because it may contain credentials`);
  }
  const [first, second] = documents;
  if (second !== undefined)
    throw new Error(`${source}:${second.line}: a kubeconfig must be one document, but a second one starts here`);
  return first?.value;
}

function read(text: string, source: string): readonly YamlDocument[] | YamlReadError {
  try {
    return parseYaml(text, { source });
  } catch (error) {
    if (error instanceof YamlReadError) return error;
    throw error;
  }
}
