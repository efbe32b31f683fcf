import type { CacheState } from './cache.ts';

/**
 * Whether the API server answers that it does not serve the kind, or does not allow it to be read.
 */
export function isUnreadable(state: CacheState): boolean {
  return state.kind === 'failing' && (state.code === 403 || state.code === 404);
}
