import { keyOfObject } from '@isthmus/machinery';
import type { Encoding } from './encoding.ts';
import { about, badRequest, expired, unexplained } from './refusal.ts';
import type { Selection } from './selection.ts';
import { storageKeyOf } from './served-type.ts';
import type { ServedType } from './served-type.ts';
import type { Store } from './store.ts';

/** What a list or a watch shows. */
export interface View {
  readonly type: ServedType;
  readonly selection: Selection;
  readonly encoding: Encoding;
}

/** Where a paged list goes on: after `start`, in the state at `resourceVersion`. */
interface ContinueToken {
  readonly resourceVersion: number;
  readonly start: string;
}

/**
 * One page of a list as JSON. Pages of one list show one moment; when that is compacted away, 410 with a token that goes on in the
 * present.
 */
export function listPage(store: Store, view: View, query: Readonly<Record<string, string>>): string {
  const { type, selection, encoding } = view;
  const limit = Number(query['limit'] ?? '0');
  const token = query['continue'] === undefined || query['continue'] === '' ? undefined : parseToken(query['continue']);
  refuseFuture(store, type, query['resourceVersion']);
  if (token !== undefined && token.resourceVersion < store.compactedTo) throw continueExpired(store, type, token);
  const resourceVersion = token?.resourceVersion ?? store.resourceVersion;
  const all = token === undefined ? store.list(storageKeyOf(type)) : store.listAt(storageKeyOf(type), resourceVersion);
  const rest = all.filter(
    (object) => (token === undefined || keyOfObject(object) > token.start) && selection.matches(object),
  );
  const page = limit > 0 ? rest.slice(0, limit) : rest;
  const last = page.at(-1);
  const more = rest.length - page.length;
  const metadata = {
    resourceVersion: String(resourceVersion),
    ...(more > 0 && last !== undefined && { continue: printToken({ resourceVersion, start: keyOfObject(last) }) }),
    ...(more > 0 && !selection.selective && { remainingItemCount: more }),
  };
  const { apiVersion, kind } = encoding.kind(type);
  const head = JSON.stringify({ apiVersion, kind: `${kind}List`, metadata }).slice(0, -1);
  return `${head},"items":[${page.map((object) => encoding.item(type, object)).join(',')}]}`;
}

/** The resourceVersion that a watch starts from. `undefined`: from the present state, told as ADDED. */
export function watchStart(query: Readonly<Record<string, string>>): number | undefined {
  const text = query['resourceVersion'] ?? '';
  if (text === '' || text === '0') return undefined;
  if (!/^\d+$/.test(text)) {
    const why = `strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`;
    throw unexplained(`resourceVersion: Invalid value: ${JSON.stringify(text)}: ${why}`);
  }
  return Number(text);
}

function refuseFuture(store: Store, type: ServedType, resourceVersion: string | undefined): void {
  if (resourceVersion === undefined || !(Number(resourceVersion) > store.resourceVersion)) return;
  const message = `Timeout: Too large resource version: ${resourceVersion}, current: ${store.resourceVersion}`;
  const causes = [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }];
  throw about(type, '', { reason: 'Timeout', message, causes });
}

function continueExpired(store: Store, type: ServedType, token: ContinueToken) {
  const refusal = expired(
    'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results.',
  );
  const goesOn = printToken({ resourceVersion: store.resourceVersion, start: token.start });
  return Object.assign(refusal, {
    status: { ...refusal.status, metadata: { continue: goesOn }, details: { kind: type.plural } },
  });
}

function printToken(token: ContinueToken): string {
  return Buffer.from(JSON.stringify(token)).toString('base64url');
}

function parseToken(text: string): ContinueToken {
  const invalid = badRequest('invalid continue token: continue key is not valid');
  try {
    const token: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    if (typeof token !== 'object' || token === null || !('resourceVersion' in token) || !('start' in token))
      throw invalid;
    const { resourceVersion, start } = token;
    if (typeof resourceVersion !== 'number' || typeof start !== 'string') throw invalid;
    return { resourceVersion, start };
  } catch {
    throw invalid;
  }
}
