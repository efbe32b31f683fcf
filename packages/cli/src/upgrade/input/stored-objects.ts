import type { KubernetesObject } from '@isthmus/machinery';
import { errorMessage, parseManifests, YamlReadError } from '@isthmus/machinery';
import { UsageError } from '../../command/usage-error.ts';
import type { Io } from '../../world/io.ts';
import type { ShownFinding } from '../output/shown-finding.ts';
import { filesOf, itemOf, objectsIn, objectsOf } from './read-objects.ts';
import { jsonPieces, SplitError } from './split-json.ts';
import type { Piece } from './split-json.ts';
import { yamlPieces } from './split-yaml.ts';

/**
 * Larger texts are not held whole. They are split, and none of their objects may be larger. In
 * characters.
 */
const most = 16 * 1024 * 1024;

/**
 * The objects of files of any size, one by one: YAML, JSON, Lists of either, and JSON with an
 * object on each line (as `kubectl get -o json | jq -c '.items[]'` writes it). Of a large file no
 * more than an object of JSON or a document of YAML is held at a time, so a List of YAML cannot be
 * large. Errors as those of `readObjects`.
 */
export async function* storedObjects(
  io: Pick<Io, 'listFiles' | 'readChunks'>,
  paths: readonly string[],
  { aside, limit = most }: { readonly aside: ShownFinding[]; readonly limit?: number | undefined },
): AsyncGenerator<KubernetesObject> {
  for (const path of paths) {
    for (const file of await filesOf(io, path, aside)) {
      try {
        yield* objectsOfFile(io.readChunks(file), file, limit);
      } catch (error) {
        if (error instanceof SplitError)
          throw new UsageError(`${file}:${error.line}: ${error.message}`, { cause: error });
        if (error instanceof UsageError) throw error;
        throw new UsageError(errorMessage(error), { cause: error });
      }
    }
  }
}

async function* objectsOfFile(
  chunks: AsyncIterable<string>,
  file: string,
  limit: number,
): AsyncGenerator<KubernetesObject> {
  const source = chunks[Symbol.asyncIterator]();
  let head = '';
  let isAll = false;
  while (!isAll && head.length <= limit) {
    const { done, value } = await source.next();
    if (done === true) isAll = true;
    else head += value;
  }
  const all = again(head, source);
  if (/^\s*\{\s*["}]/.test(head)) {
    for await (const piece of jsonPieces(all, limit)) {
      const place = `${file}:${piece.line}`;
      for (const { object } of objectsOf(parsed(piece, place), place)) yield object;
    }
    return;
  }
  if (isAll) {
    for (const { object } of objectsIn(head, file)) yield object;
    return;
  }
  try {
    for await (const piece of yamlPieces(all, limit)) {
      for (const { value, line } of documentsOf(piece, file))
        for (const { object } of objectsOf(value, `${file}:${line}`)) yield object;
    }
  } catch (error) {
    if (!(error instanceof SplitError)) throw error;
    throw new SplitError(
      error.line,
      `${error.message}; pass the objects as JSON, as \`kubectl get -o json\` prints them`,
    );
  }
}

/** The chunks that were read already, then the rest. */
async function* again(head: string, rest: AsyncIterator<string>): AsyncGenerator<string> {
  yield head;
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
}

function parsed({ text, list }: Piece, place: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return list === undefined ? value : itemOf(list, value);
  } catch (error) {
    throw new UsageError(`${place}: not valid JSON: ${errorMessage(error)}`, {
      cause: error,
    });
  }
}

/** The documents of a piece, with their lines and those of errors counted in the whole file. */
function documentsOf({ text, line: start }: Piece, file: string) {
  try {
    return parseManifests(text, { source: file }).map(({ value, line }) => ({ value, line: line + start - 1 }));
  } catch (error) {
    if (!(error instanceof YamlReadError)) throw error;
    const lines = error.message.split('\n').map((one) => {
      const [, line, rest] = /^:(\d+)(:.*)$/s.exec(one.slice(file.length)) ?? [];
      return line === undefined ? one : `${file}:${Number(line) + start - 1}${rest ?? ''}`;
    });
    throw new UsageError(lines.join('\n'), { cause: error });
  }
}
