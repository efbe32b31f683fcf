import { watchLine } from '../encoding/encoding.ts';
import type { EventType } from '../encoding/encoding.ts';
import { ByteQueue } from '../answer/byte-queue.ts';
import type { Core } from '../core/core.ts';
import { definitionsKey } from '../definition/definition.ts';
import { expired, Refusal, statusBody } from '../refusal/refusal.ts';
import type { RecordedChange, Stored } from '../store/stored.ts';
import type { View } from './list.ts';
import type { ListOptions } from '../options/list-options.ts';

/** The interval between the bookmarks of a watch that asked for them. */
const bookmarkEveryMs = 60_000;

/** The time from the last bookmark of a watch to its end. */
const lastBookmarkMs = 2_000;

/** The duration of a watch without a timeout. The real server chooses between 30 and 60 minutes. */
const defaultTimeoutSeconds = 1800;

/**
 * The limit of events that wait for a webhook, beyond the initial ones. A watch over the limit is
 * ended; its client continues from the last event that it received.
 */
const mostWaiting = 1_000;

/** An event on its way: the object in its storage version. */
export interface Pending {
  readonly type: EventType;
  readonly object: Stored;
}

/**
 * The lines of a watch, one chunk each, in the order of the writes. The watch ends after its time.
 *
 * If the client asked for bookmarks, it gets one after the initial events, one each minute, and a
 * last one if the kind has changed since the start. If the start is compacted, or from before the
 * kind was served in this form, the watch sends one ERROR line with 410, as the real server's watch
 * cache does. A watch of a custom resource ends when its definition changes.
 */
export function openWatch(core: Core, view: View, options: ListOptions): ByteQueue {
  const { resource, selection, encoding } = view;
  const { store, clock, conversion } = core;
  const queue = new ByteQueue();
  const from = options.sendInitialEvents === true ? undefined : options.resourceVersion || undefined;
  const timeoutMs = 1000 * (options.timeoutSeconds || defaultTimeoutSeconds);
  const start = from ?? store.resourceVersion;
  /**
   * The resourceVersion of the last change of the kind, whether an event was sent for it or not.
   */
  let newest = 0;
  let sent = 0;
  const tell = (type: 'BOOKMARK' | 'ERROR', object: string) => queue.push(watchLine(type, object));
  const tellObject = ({ type }: Pending, converted: Stored) =>
    queue.push(encoding.event(type, resource, converted, sent++));
  const isLocal = conversion.isLocal(resource);
  let turn = Promise.resolve();
  let waiting = 0;
  /**
   * Does the work after earlier work: synchronously, unless the resource is converted by a webhook.
   */
  const inTurn = (work: () => Promise<void> | void) => {
    if (isLocal) return void work();
    waiting++;
    turn = turn
      .then(() => (queue.isOpen ? work() : undefined))
      .catch((error: unknown) => {
        if (!(error instanceof Refusal)) return queue.fail(error);
        tell('ERROR', JSON.stringify(statusBody(error)));
        queue.end();
      })
      .finally(() => waiting--);
  };
  const tellPending = (pending: Pending) =>
    inTurn(() =>
      isLocal
        ? tellObject(pending, conversion.toRequestedNow(resource, pending.object))
        : conversion
            .toRequested(resource, [pending.object])
            .then(([converted = pending.object]) => tellObject(pending, converted)),
    );
  const tellChange = (change: RecordedChange) => {
    newest = change.resourceVersion;
    // A watch may start at a future resourceVersion, and gets no events until then.
    if (change.resourceVersion <= (from ?? 0)) return;
    const pending = pendingOf(view, change);
    if (pending !== undefined) tellPending(pending);
  };
  const bookmark = (version: number, annotations?: Readonly<Record<string, string>>) =>
    inTurn(() => tell('BOOKMARK', encoding.bookmark(resource, String(version), annotations)));

  const since = core.registry.since(resource) ?? 0;
  const oldest = Math.max(store.compactedTo, since);
  if (from !== undefined && from < oldest) {
    const error = expired(`too old resource version: ${from} (${oldest})`);
    tell('ERROR', JSON.stringify(statusBody(error)));
    queue.end();
    return queue;
  }
  if (from === undefined) {
    if (options.sendInitialEvents !== false) {
      for (const object of store.list(resource.storageKey)) {
        if (selection.matches(object)) tellPending({ type: 'ADDED', object });
      }
      if (options.allowWatchBookmarks) bookmark(start, { 'k8s.io/initial-events-end': 'true' });
    }
  } else for (const change of store.since(resource.storageKey, from)) tellChange(change);

  const limit = waiting + mostWaiting;
  const stopTelling = store.onChange(resource.storageKey, (change) => {
    if (waiting > limit) queue.end();
    else tellChange(change);
  });
  // As on a real server: if the kind is no longer served, or by another definition, the watch ends
  // and the client watches again.
  const stopLooking = store.onChange(definitionsKey, () => {
    if (core.registry.since(resource) !== since) inTurn(() => queue.end());
  });
  let stopTimer = () => {};
  /** Counts the remaining time, not the clock: a timer may fire a moment early. */
  const waitOn = (leftMs: number) => {
    const untilBookmark = Math.min(leftMs - lastBookmarkMs, bookmarkEveryMs);
    if (!options.allowWatchBookmarks || untilBookmark <= 0) {
      stopTimer = clock.after(leftMs, () => inTurn(() => queue.end()));
      return;
    }
    stopTimer = clock.after(untilBookmark, () => {
      const version = untilBookmark === bookmarkEveryMs ? store.resourceVersion : newest;
      if (isWorthABookmark(version, start)) bookmark(version);
      waitOn(leftMs - untilBookmark);
    });
  };
  waitOn(timeoutMs);
  queue.onEnd(() => {
    stopTelling();
    stopLooking();
    stopTimer();
  });
  return queue;
}

/** Whether a bookmark contains a newer resourceVersion than the start of the watch. */
export function isWorthABookmark(version: number, start: number): boolean {
  return version > start;
}

/** A change as a watch with a selector sees it: objects come into view and leave it. */
export function pendingOf({ selection }: View, change: RecordedChange): Pending | undefined {
  const { before, after } = change;
  const had = before !== undefined && selection.matches(before);
  if (after !== undefined && selection.matches(after)) return { type: had ? 'MODIFIED' : 'ADDED', object: after };
  const gone = had ? change.gone() : undefined;
  return gone === undefined ? undefined : { type: 'DELETED', object: gone };
}
