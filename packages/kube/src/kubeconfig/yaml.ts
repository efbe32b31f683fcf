import { LineCounter, parseDocument } from 'yaml';

/**
 * Reads the one YAML (or JSON) document of a kubeconfig; `undefined` where it is empty. Throws an Error that names the source and
 * the line. It never quotes the text, because that may be a token.
 */
export function parseKubeconfigYaml(text: string, source: string): unknown {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { prettyErrors: false, lineCounter });
  const error = document.errors[0];
  if (error !== undefined) {
    const { line, col } = lineCounter.linePos(error.pos[0]);
    throw new Error(`${source}:${line}:${col}: this is no YAML (${error.code.toLowerCase().replaceAll('_', ' ')})`);
  }
  return (document.toJS({ maxAliasCount: 100 }) as unknown) ?? undefined;
}
