import type { Verdict, leaderClusterSetStatus, memberClusterSetStatus } from '@isthmus/api';
import { shown } from '@isthmus/wire';

/** What is requested but not used. */
export interface UnsupportedInput {
  /** Fields of MultiClusterConfig. */
  readonly settings: readonly string[];
  /**
   * The kinds in the Common Area that are not exchanged. `objects` is `ResourceExport` or
   * `ResourceImport`.
   */
  readonly payloads: { readonly objects: string; readonly kinds: readonly string[] };
}

/** The same type on both sides. */
type UnsupportedVerdict = Verdict<typeof leaderClusterSetStatus, 'Unsupported'> &
  Verdict<typeof memberClusterSetStatus, 'Unsupported'>;

/** The condition Unsupported of a ClusterSet; absent if everything is used. */
export function unsupportedVerdict({ settings, payloads }: UnsupportedInput): UnsupportedVerdict | 'absent' {
  const parts = [
    ...(settings.length === 0 ? [] : [`MultiClusterConfig: ${settings.join(', ')}`]),
    ...payloads.kinds.map((kind) => `${payloads.objects}s of kind ${shown(kind)}`),
  ];
  if (parts.length === 0) return 'absent';
  const message = `This version does not act on: ${parts.join('; ')}. Everything else works.`;
  return { status: 'True', reason: 'NotSupported', message };
}
