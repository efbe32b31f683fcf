import type { Json } from '@isthmus/schema';
import type { Failure } from '@isthmus/machinery';
import { jsonPatchOperations } from './json-patch-operations.ts';
import type { JsonPatchOperation } from './json-patch-operations.ts';
import { PatchError } from './patch-error.ts';
import {
  addAt,
  childOf,
  cloneWorking,
  equalWorking,
  isContainer,
  removeAt,
  sizeWithin,
  toJson,
  toWorking,
} from './working-value.ts';
import type { Container, Working } from './working-value.ts';

/** How an API server reads a JSON patch. */
export interface JsonPatchOptions {
  /** `fieldValidation=Ignore`: ill-typed operations are described otherwise. Default false. */
  readonly ignoresFields?: boolean | undefined;
}

/**
 * The value after a JSON patch (RFC 6902), as the API server's library applies it. It departs from
 * the RFC as that library does:
 *
 * - An index may be negative, counted from the end. An addition at `-1` appends an item.
 * - `replace` and `copy` treat a missing member of an object as null.
 * - `test` treats null and absence as equal.
 * - The text before the first slash of a path is ignored.
 *
 * Keys such as `__proto__` are data. Neither argument is changed.
 *
 * Errors: {@link PatchError}, with one of these codes:
 *
 * - 400 for a value that is not a list of operations;
 * - 413 for more than 10,000 operations;
 * - 422 for an operation that does not apply, for copies of more than 3 MiB in all (as on the API
 *   server), and for a result with too many levels. The API server does not send the text of this
 *   error: it is in the error's message, not in its failure.
 */
export function applyJsonPatch(value: Json, patch: unknown, options: JsonPatchOptions = {}): Json {
  const operations = jsonPatchOperations(patch, options.ignoresFields ?? false);
  if (operations.length > maxOperations) {
    const limit = `The allowed maximum operations in a JSON patch is ${maxOperations}, got ${operations.length}`;
    throw new PatchError({ reason: 'RequestEntityTooLarge', message: `Request entity too large: ${limit}` });
  }
  let document = toWorking(value);
  let copied = 0;
  for (const [i, operation] of operations.entries()) {
    const refuse = (problem: string) =>
      new PatchError(unprocessable, `applying operation ${i} of the JSON patch: ${problem}`);
    if (operation.op === 'copy' && (copied += copiedSize(document, operation)) > maxCopiedSize) {
      throw refuse(`more than ${maxCopiedSize} bytes would be copied`);
    }
    const result = carryOut(document, operation);
    if ('problem' in result) throw refuse(result.problem);
    document = result.document;
  }
  if (sizeWithin(document, maxLevels) === Infinity) {
    throw new PatchError(unprocessable, `applying a JSON patch: the result has more than ${maxLevels} levels`);
  }
  return toJson(document);
}

/** The answer to an operation that does not apply. */
const unprocessable: Failure = {
  reason: 'Invalid',
  message: 'the server rejected our request due to an error in our request',
  details: {},
};

type Result = { readonly document: Working } | { readonly problem: string };

function carryOut(document: Working, operation: JsonPatchOperation): Result {
  const { op, path, from } = operation;
  if (path === undefined) return { problem: 'it has no path' };
  switch (op) {
    case 'add':
      return add(document, path, operation.value);
    case 'remove':
      return remove(document, path);
    case 'replace':
      return replace(document, path, operation.value);
    case 'test':
      return test(document, path, operation.value);
    case 'move':
    case 'copy':
      if (from === undefined) return { problem: 'it has no from' };
      return op === 'move' ? move(document, from, path) : copy(document, from, path);
    default:
      return { problem: 'its kind is unknown' };
  }
}

function add(document: Working, path: string, value: Working | undefined): Result {
  const target = locate(document, path);
  if (target === undefined) return { problem: `nothing holds ${path}` };
  if (!addAt(target.container, target.key, value ?? null)) return { problem: `${path} is not a place in the list` };
  return { document };
}

function remove(document: Working, path: string): Result {
  const target = locate(document, path);
  if (target === undefined || !removeAt(target.container, target.key)) return { problem: `${path} does not exist` };
  return { document };
}

function replace(document: Working, path: string, value: Working | undefined): Result {
  if (path === '') {
    return isContainer(value) ? { document: value } : { problem: 'the whole can only become an object or a list' };
  }
  const target = locate(document, path);
  if (target === undefined) return { problem: `nothing holds ${path}` };
  const { container, key } = target;
  if (container instanceof Map) {
    container.set(key, value ?? null);
    return { document };
  }
  const found = childOf(container, key);
  if (found === undefined) return { problem: `${path} does not exist` };
  container[found.index] = value ?? null;
  return { document };
}

function test(document: Working, path: string, value: Working | undefined): Result {
  const fails = { problem: `${path} is not as tested` };
  if (path === '') return value !== undefined && equalWorking(document, value) ? { document } : fails;
  const target = locate(document, path);
  if (target === undefined) return { problem: `nothing holds ${path}` };
  const found = valueAt(target);
  if (found === undefined) return { problem: `${path} does not exist` };
  return equalWorking(found.value, value ?? null) ? { document } : fails;
}

function move(document: Working, from: string, path: string): Result {
  const source = locate(document, from);
  const found = source === undefined ? undefined : valueAt(source);
  if (source === undefined || found === undefined || !removeAt(source.container, source.key)) {
    return { problem: `${from} does not exist` };
  }
  return add(document, path, found.value);
}

function copy(document: Working, from: string, path: string): Result {
  const source = locate(document, from);
  const found = source === undefined ? undefined : valueAt(source);
  return found === undefined ? { problem: `${from} does not exist` } : add(document, path, cloneWorking(found.value));
}

/** The size of the copied value; infinite if it has too many levels. */
function copiedSize(document: Working, { from = '' }: JsonPatchOperation): number {
  const source = locate(document, from);
  const found = source === undefined ? undefined : valueAt(source);
  return found === undefined ? 0 : sizeWithin(found.value, maxLevels);
}

interface Target {
  readonly container: Container;
  readonly key: string;
}

/** The container of the last segment of a path; undefined if it is missing. */
function locate(document: Working, path: string): Target | undefined {
  const [, ...segments] = path.split('/');
  const key = segments.pop();
  if (key === undefined) return undefined;
  let container: Working | undefined = document;
  for (const segment of segments) {
    if (!isContainer(container)) return undefined;
    container = valueAt({ container, key: unescapeSegment(segment) })?.value;
  }
  return isContainer(container) ? { container, key: unescapeSegment(key) } : undefined;
}

/** A missing member of an object is null; a missing item of a list is undefined. */
function valueAt({ container, key }: Target): { readonly value: Working } | undefined {
  return container instanceof Map ? { value: container.get(key) ?? null } : childOf(container, key);
}

function unescapeSegment(segment: string): string {
  return segment.replace(/~[01]/g, (escape) => (escape === '~1' ? '/' : '~'));
}

const maxOperations = 10_000;

/** All copies of a patch together, as JSON. */
const maxCopiedSize = 3 * 1024 * 1024;

const maxLevels = 1_000;
