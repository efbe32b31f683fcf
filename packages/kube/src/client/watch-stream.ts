import type { Clock, KubernetesObject, ResourceType, Status } from '@isthmus/machinery';
import { chunksOf } from './body.ts';
import type { Call } from './call.ts';
import type { WatchEvent, WatchOptions } from './client.ts';
import { startDeadline } from './deadline.ts';
import { ApiError } from './errors.ts';
import type { Exchange } from './exchange.ts';
import { createLineSplitter } from './line-splitter.ts';
import { watchRequest } from './requests.ts';
import { retryAfterOf } from './retry.ts';
import { parseStatus } from '@isthmus/machinery';
import { MalformedAnswer, decodeItem, decodeJson } from './decode.ts';

export interface WatchLimits {
  readonly clock: Clock;
  /** How long the headers may take. */
  readonly timeoutMs: number;
  readonly lineBytes: number;
}

/**
 * One watch connection, until the server ends it. Time runs only while this waits for the server: a
 * consumer may take as long as it likes over an event. Leaving the iteration closes the connection.
 */
export async function* watchStream<T extends KubernetesObject>(
  exchange: Exchange,
  call: Call,
  watch: { readonly type: ResourceType<T>; readonly options: WatchOptions; readonly limits: WatchLimits },
): AsyncGenerator<WatchEvent<T>, void> {
  const { type, options, limits } = watch;
  const request = watchRequest(type, options);
  const deadline = startDeadline(limits.clock, limits.timeoutMs, options.signal);
  let waitedMs = limits.timeoutMs;
  try {
    const response = await exchange.open(call, request, deadline);
    options.onOpen?.();
    const splitter = createLineSplitter(limits.lineBytes);
    waitedMs = options.idleMs;
    deadline.restart(waitedMs);
    for await (const chunk of chunksOf(response.body, deadline.signal)) {
      deadline.pause();
      for (const line of splitter.push(chunk)) yield eventOf(call, type, line);
      deadline.restart(waitedMs);
    }
    deadline.pause();
    const rest = splitter.rest();
    if (rest !== '') yield eventOf(call, type, rest);
  } catch (error) {
    throw exchange.toError(call, error, deadline, waitedMs);
  } finally {
    deadline.end('abort');
  }
}

function eventOf<T extends KubernetesObject>(call: Call, type: ResourceType<T>, line: string): WatchEvent<T> {
  const event = decodeWatchLine(type, line);
  if (event.type !== 'ERROR') return event;
  throw new ApiError(call, event.status, retryAfterOf(event.status));
}

/** One line of a watch: an event, or the Status with which the server ends it. */
type WatchLine<T> = WatchEvent<T> | { readonly type: 'ERROR'; readonly status: Status };

/** Decodes one line of a watch. Throws {@link MalformedAnswer} if the line is not an event. */
function decodeWatchLine<T extends KubernetesObject>(type: ResourceType<T>, line: string): WatchLine<T> {
  const event = decodeJson(line);
  if (typeof event !== 'object' || event === null || !('type' in event) || !('object' in event)) {
    throw new MalformedAnswer('a line of the watch is not an event');
  }
  switch (event.type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      return { type: event.type, object: decodeItem(type, event.object, 'the object of a watch event') };
    case 'BOOKMARK': {
      const { resourceVersion } = decodeItem(type, event.object, 'a bookmark').metadata;
      if (resourceVersion === undefined || resourceVersion === '')
        throw new MalformedAnswer('a bookmark has no resourceVersion');
      return { type: 'BOOKMARK', resourceVersion };
    }
    case 'ERROR': {
      const status = parseStatus(event.object);
      if (status === undefined) throw new MalformedAnswer('the error that ends the watch is not a Status');
      return { type: 'ERROR', status };
    }
    default:
      throw new MalformedAnswer('a line of the watch has an unknown type of event');
  }
}
