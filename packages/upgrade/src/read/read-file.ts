import { formatFieldError } from '@isthmus/schema';
import { parseManifests, yamlFieldLines, YamlReadError } from '@isthmus/machinery';
import type { AlteredKey } from '@isthmus/machinery';
import type { ConfigKind } from '@isthmus/schema';
import type { Problem, ReadResult } from './problem.ts';

/**
 * Reads a file that holds one object of a kind, YAML or JSON, strictly: unknown fields are named,
 * and every problem has its file, line, path and what was expected. Never throws for what the text
 * holds.
 */
export function readFile<T>(kind: ConfigKind<T>, text: string, source: string): ReadResult<T> {
  const refused = (line: number, message: string): ReadResult<T> => ({
    kind: 'refused',
    problems: [{ source, line, path: '', message }],
  });
  const altered: Problem[] = [];
  const onAlteredKey = ({ written, key, path, line }: AlteredKey) => {
    const message = `the key ${written} is read as ${JSON.stringify(key)}; put it in quotation marks`;
    altered.push({ source, line, path, message });
  };
  let documents;
  try {
    documents = parseManifests(text, { source, onAlteredKey });
  } catch (error) {
    if (!(error instanceof YamlReadError)) throw error;
    const problems = error.lines.map((line) => syntaxProblem(line, source));
    return { kind: 'refused', problems, unlisted: error.unlisted };
  }
  const [document, second] = documents;
  if (document === undefined) return refused(1, `the file is empty; it must contain a ${kind.kind}`);
  if (second !== undefined) return refused(second.line, `a second document; the file must contain one ${kind.kind}`);
  const lineOf = yamlFieldLines(text);
  const { value, unknownFields, errors } = kind.decode(document.value);
  const problems: Problem[] = [
    ...unknownFields.map((path) => ({ path, message: `unknown field of ${kind.kind}` })),
    ...errors.map((error) => ({
      path: error.path === '<nil>' ? '' : error.path,
      message: withHint(formatFieldError(error).slice(error.path.length + 2)),
    })),
  ]
    .map(({ path, message }) => ({ source, line: lineOf(path), path, message }))
    .concat(altered);
  // The fields of another kind are not mistakes of this one.
  const ofType = problems.filter(({ path }) => path === 'kind' || path === 'apiVersion');
  const shown = ofType.length > 0 ? ofType : problems;
  if (shown.length > 0) return { kind: 'refused', problems: shown.toSorted(byPlace) };
  return { kind: 'read', value, written: { json: document.value }, lineOf };
}

/** One line for a person: `bundle.yaml:12: spec.components[0].version: Required value`. */
export function problemLine({ source, line, path, message }: Problem): string {
  return `${source}:${line}: ${path === '' ? '' : `${path}: `}${message}`;
}

/**
 * YAML reads `1.30` as a number and `y` as a boolean, so the author does not see why the value is
 * not a text.
 */
function withHint(message: string): string {
  const isUnquoted = /must be of type string: "(?:number|integer|boolean)"$/.test(message);
  return isUnquoted ? `${message}; put it in quotation marks` : message;
}

/** A line of a {@link YamlReadError}, which begins with `source:line:column`. */
function syntaxProblem(text: string, source: string): Problem {
  const [, line = '1', message = text] = /^:(\d+):\d+: (.*)$/.exec(text.slice(source.length)) ?? [];
  return { source, line: Number(line), path: '', message };
}

function byPlace(a: Problem, b: Problem): number {
  if (a.line !== b.line) return a.line - b.line;
  return a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
}
