import { parseJson } from '../typed/parse-json.ts';
import { failureStatus, keyOfObject } from '@isthmus/machinery';
import type { Encoding, ListMetadata } from '../encoding/encoding.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import type { Core } from '../core/core.ts';
import { badRequest, expired, Refusal } from '../refusal/refusal.ts';
import type { Stored } from '../store/stored.ts';
import type { ListOptions } from '../options/list-options.ts';
import type { Selection } from '../options/selection.ts';

/** The selection and the form of a list or a watch. */
export interface View {
  readonly resource: ServedResource;
  readonly selection: Selection;
  readonly encoding: Encoding;
}

/** One page, in the version of the request. */
export interface Page {
  readonly items: readonly Stored[];
  readonly metadata: ListMetadata;
}

/**
 * One page of a list. All pages show the same resourceVersion. If that is compacted: 410, with a
 * token that continues in the current state.
 */
export async function listPage(core: Core, { resource, selection }: View, options: ListOptions): Promise<Page> {
  const { store } = core;
  // For resourceVersion 0 the real server answers from its cache, which has no pages.
  const limit = options.resourceVersion === 0 ? 0 : options.limit;
  const token = options.continueToken === undefined ? undefined : parseToken(options.continueToken);
  refuseFuture(core, options.resourceVersion);
  const exact = token?.resourceVersion ?? (isExact(options, limit) ? options.resourceVersion : undefined);
  if (exact !== undefined && exact < store.compactedTo) {
    throw token === undefined ? tooOld() : continueExpired(core, token);
  }
  const resourceVersion = exact ?? store.resourceVersion;
  const all =
    resourceVersion === store.resourceVersion
      ? store.list(resource.storageKey)
      : store.listAt(resource.storageKey, resourceVersion);
  const start = token?.start;
  const rest = all.filter(
    (object) => (start === undefined || keyOfObject(object) > start) && selection.matches(object),
  );
  const page = limit > 0 ? rest.slice(0, limit) : rest;
  const last = page.at(-1);
  const more = rest.length - page.length;
  const metadata: ListMetadata = {
    resourceVersion: String(resourceVersion),
    ...(more > 0 && last !== undefined && { continue: printToken({ resourceVersion, start: keyOfObject(last) }) }),
    ...(more > 0 && !selection.selective && { remainingItemCount: more }),
  };
  return { items: await core.conversion.toRequested(resource, page), metadata };
}

/**
 * Whether the list is that of a past state: `Exact`, or a resourceVersion together with a limit.
 */
export function isExact({ resourceVersion, resourceVersionMatch }: ListOptions, limit: number): boolean {
  if (resourceVersion === undefined || resourceVersion === 0) return false;
  return resourceVersionMatch === 'Exact' || (resourceVersionMatch === undefined && limit > 0);
}

/** Refuses a resourceVersion that is not written yet. */
function refuseFuture({ store }: Core, resourceVersion: number | undefined): void {
  if (resourceVersion === undefined || resourceVersion <= store.resourceVersion) return;
  const message = `Timeout: Too large resource version: ${resourceVersion}, current: ${store.resourceVersion}`;
  const causes = [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }];
  throw new Refusal(failureStatus({ reason: 'Timeout', message, details: { causes, retryAfterSeconds: 1 } }));
}

function tooOld(): Refusal {
  return expired('The resourceVersion for the provided list is too old.');
}

/** The start of the next page: after `start`, in the state at `resourceVersion`. */
export interface ContinueToken {
  readonly resourceVersion: number;
  readonly start: string;
}

/**
 * The 410 for a continue token whose resourceVersion is compacted, with a token that continues in
 * the current state.
 */
export function continueExpired({ store }: Core, token: ContinueToken): Refusal {
  const refusal = expired(
    'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.',
  );
  const goesOn = printToken({ resourceVersion: store.resourceVersion, start: token.start });
  return Object.assign(refusal, {
    status: { ...refusal.status, metadata: { continue: goesOn } },
  });
}

/** The form of the real server's tokens: clients do not read them, people do. */
function printToken({ resourceVersion, start }: ContinueToken): string {
  const token = { v: 'meta.k8s.io/v1', rv: resourceVersion, start: `${start}\u0000` };
  return Buffer.from(JSON.stringify(token)).toString('base64url');
}

function parseToken(text: string): ContinueToken {
  const refuse = (why: string) => badRequest(`invalid continue token: continue key is not valid: ${why}`);
  const odd = /[^\w-]/.exec(text)?.index ?? (text.length % 4 === 1 ? text.length - 1 : undefined);
  if (odd !== undefined) throw refuse(`illegal base64 data at input byte ${odd}`);
  const bytes = Buffer.from(text, 'base64url');
  const first = bytes[0] ?? 0;
  // Errors show bytes, not characters.
  if (first >= 0x80) {
    const shown = first <= 0xa0 || first === 0xad ? `\\u00${first.toString(16)}` : String.fromCharCode(first);
    throw refuse(`invalid character '${shown}' looking for beginning of value`);
  }
  const read = parseJson(bytes.toString());
  if (read.kind === 'malformed') throw refuse(read.message);
  const token = read.json.value;
  if (token !== null && (typeof token !== 'object' || Array.isArray(token))) {
    throw refuse(
      `json: cannot unmarshal ${Array.isArray(token) ? 'array' : typeof token === 'boolean' ? 'bool' : typeof token} into Go value of type storage.continueToken`,
    );
  }
  const { v: version = '', rv, start } = (token ?? {}) as Readonly<Record<string, unknown>>;
  if (version !== 'meta.k8s.io/v1') throw refuse(`server does not recognize this encoded version ${String(version)}`);
  if (typeof rv !== 'number' || !Number.isSafeInteger(rv) || typeof start !== 'string') {
    throw refuse('incorrect encoded start resourceVersion (version meta.k8s.io/v1)');
  }
  if (start === '') throw refuse('encoded start key empty (version meta.k8s.io/v1)');
  const parts = start === '/' ? [] : start.replace(/^\//, '').split('/');
  if (parts.some((part) => part === '' || part === '.' || part === '..')) throw refuse(start);
  return { resourceVersion: rv, start: start.endsWith('\u0000') ? start.slice(0, -1) : start };
}
