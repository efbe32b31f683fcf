import type { Json } from '@isthmus/schema';
import type { Stored } from '../store/stored.ts';

/** A stored object typed as plain JSON. */
export function asJson(object: Stored): Readonly<Record<string, Json>> {
  return object as unknown as Readonly<Record<string, Json>>;
}
