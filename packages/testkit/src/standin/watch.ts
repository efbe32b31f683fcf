import type { Clock } from '@isthmus/machinery';
import { ByteQueue } from '../byte-queue.ts';
import type { View } from './reads.ts';
import { expired } from './refusal.ts';
import { storageKeyOf } from './served-type.ts';
import type { Stored } from './served-type.ts';
import type { Store, StoredChange } from './store.ts';

export interface WatchRequest extends View {
  /** Undefined: the present state as ADDED first. */
  readonly from: number | undefined;
  readonly bookmarks: boolean;
  readonly timeoutMs: number;
}

/**
 * The lines of a watch, one chunk each. Ends after `timeoutMs`, with a bookmark just before; a bookmark comes each minute too. A start
 * that is compacted away yields one ERROR line with 410, as the real server's watch cache does it.
 */
export function openWatch(store: Store, clock: Clock, request: WatchRequest): ByteQueue {
  const { type, selection, encoding, from } = request;
  const storageKey = storageKeyOf(type);
  const queue = new ByteQueue();
  const tell = (kind: string, object: string) => queue.push(`{"type":"${kind}","object":${object}}\n`);
  const tellChange = (change: StoredChange) => {
    const had = change.before !== undefined && selection.matches(change.before);
    const has = change.after !== undefined && selection.matches(change.after);
    if (has && change.after !== undefined) tell(had ? 'MODIFIED' : 'ADDED', encoding.object(type, change.after));
    else if (had && change.before !== undefined)
      tell('DELETED', encoding.object(type, atVersion(change.before, change.resourceVersion)));
  };
  const bookmark = () => {
    tell(
      'BOOKMARK',
      JSON.stringify({ ...encoding.kind(type), metadata: { resourceVersion: String(store.resourceVersion) } }),
    );
  };

  if (from !== undefined && from < store.compactedTo) {
    tell(
      'ERROR',
      JSON.stringify({ ...expired(`too old resource version: ${from} (${store.compactedTo})`).status, metadata: {} }),
    );
    queue.end();
    return queue;
  }
  if (from === undefined) {
    for (const object of store.list(storageKey))
      if (selection.matches(object)) tell('ADDED', encoding.object(type, object));
  } else for (const change of store.since(storageKey, from)) tellChange(change);

  const stopTelling = store.onChange((change) => {
    if (change.storageKey === storageKey) tellChange(change);
  });
  let stopTimer = () => {};
  const deadline = clock.monotonic() + request.timeoutMs;
  const waitOn = () => {
    const left = deadline - clock.monotonic();
    stopTimer = clock.after(Math.min(left, bookmarkEveryMs), () => {
      if (request.bookmarks) bookmark();
      if (clock.monotonic() < deadline) waitOn();
      else queue.end();
    });
  };
  waitOn();
  queue.onEnd(() => {
    stopTelling();
    stopTimer();
  });
  return queue;
}

const bookmarkEveryMs = 60_000;

function atVersion(object: Stored, resourceVersion: number): Stored {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(resourceVersion) } };
}
