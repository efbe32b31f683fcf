import type { KubernetesObject } from '@isthmus/machinery';
import { UsageError } from '../../usage-error.ts';
import type { Io } from '../../io.ts';
import { readText } from '../read-input.ts';
import { filesOf, objectsIn, objectsOf } from './read-objects.ts';

/**
 * The objects of files, one by one: YAML, JSON, Lists of either, and JSON with an object on each line (as `kubectl get -o json | jq -c '.items[]'`
 * writes it), of which one line at a time is taken apart. Errors as those of `readObjects`.
 */
export async function* storedObjects(io: Io, paths: readonly string[]): AsyncGenerator<KubernetesObject> {
  for (const path of paths) {
    for (const file of await filesOf(io, path)) {
      const text = await readText(io, file);
      if (isByLine(text)) {
        let line = 0;
        for (const [row] of text.matchAll(/[^\n]*\n?/g)) {
          line += 1;
          if (row.trim() !== '')
            yield* objectsOf(parsed(row, `${file}:${line}`), `${file}:${line}`).map(({ object }) => object);
        }
      } else for (const { object } of objectsIn(text, file)) yield object;
    }
  }
}

/** Whether the first line is an object by itself, and another one follows. */
function isByLine(text: string): boolean {
  const [, first = '', second] = /^\s*([^\n]*)\n\s*(\S)/.exec(text) ?? [];
  if (!first.startsWith('{') || second !== '{') return false;
  try {
    JSON.parse(first);
    return true;
  } catch {
    return false;
  }
}

function parsed(row: string, place: string): unknown {
  try {
    return JSON.parse(row);
  } catch (error) {
    throw new UsageError(`${place}: no JSON: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}
