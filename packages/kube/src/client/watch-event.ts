import { parseStatus } from '@isthmus/machinery';
import type { KubernetesObject, ResourceType, Status } from '@isthmus/machinery';
import type { WatchEvent } from './client.ts';
import { MalformedAnswer, decodeItem, decodeJson } from './decode.ts';

/** One line of a watch: an event, or the Status with which the server ends it. */
export type WatchLine<T> = WatchEvent<T> | { readonly type: 'ERROR'; readonly status: Status };

/** Decodes one line of a watch. Throws {@link MalformedAnswer} if the line is not an event. */
export function decodeWatchLine<T extends KubernetesObject>(type: ResourceType<T>, line: string): WatchLine<T> {
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
