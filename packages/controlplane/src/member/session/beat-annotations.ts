import { Annotation } from '@isthmus/api';
import { rfc3339 } from '@isthmus/machinery';
import type { AnnouncedSettings } from '@isthmus/wire';
import { announcedAtBeat, settingAnnotations, wireAtBeat } from '@isthmus/wire';

/** Everything that one heartbeat announces. */
export interface BeatInput {
  /** The current annotations of the announcement; empty if there is no announcement. */
  readonly found: Readonly<Record<string, string>>;
  /** Epoch milliseconds. */
  readonly nowMs: number;
  /** Empty if it is unknown. */
  readonly clusterUID: string;
  /** The user of the token; undefined: the token has no user. */
  readonly user: string | undefined;
  readonly version: string;
  readonly settings: AnnouncedSettings;
  /** Exports were lost that have not been created again, or cannot be seen. */
  readonly isRestoring: boolean;
  /**
   * What this cluster cannot import, given the text `known` in the announcement. Undefined: leave
   * it unchanged.
   */
  readonly importProblems: (known: string) => string | undefined;
}

export interface BeatAnnotations {
  /** The annotations of an announcement that is created. */
  readonly annotations: Readonly<Record<string, string>>;
  /** The changes to an announcement that exists; null removes an annotation. */
  readonly changes: Readonly<Record<string, string | null>>;
}

/** Decides what a heartbeat announces, and which earlier annotations it removes. */
export function beatAnnotations(input: BeatInput): BeatAnnotations {
  const { found, clusterUID, user } = input;
  const touchTs = rfc3339(input.nowMs);
  const known = found[Annotation.importProblems] ?? '';
  const problems = input.importProblems(known) ?? known;
  const annotations: Readonly<Record<string, string>> = {
    ...(clusterUID === '' ? {} : { [Annotation.clusterUID]: clusterUID }),
    [Annotation.touchTs]: touchTs,
    [Annotation.marksAt]: touchTs,
    ...(problems === '' ? {} : { [Annotation.importProblems]: problems }),
    ...(input.isRestoring ? { [Annotation.restoring]: touchTs } : {}),
    ...settingAnnotations(input.settings),
    [Annotation.version]: input.version,
    [Annotation.wire]: wireAtBeat(touchTs),
    ...(user === undefined ? {} : { [Annotation.announcedBy]: announcedAtBeat(user, touchTs) }),
  };
  // Only existing annotations need to be removed.
  const over = [Annotation.restoring, Annotation.withdrawn, Annotation.importProblems, Annotation.announcedBy].filter(
    (key) => found[key] !== undefined && !(key in annotations),
  );
  return { annotations, changes: { ...annotations, ...Object.fromEntries(over.map((key) => [key, null])) } };
}
