import type { VersionContent } from './version-content.ts';

/** How a check ended. */
export interface CheckRun {
  /** Undefined where it ended the process. */
  readonly exit: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  /** Processor time, with the start of a process. */
  readonly cpuMs: number;
  /** The most memory that its process had by then. */
  readonly memoryMb: number;
}

/** Runs `isthmus upgrade check` with each of these arguments, in turn. */
export type RunChecks = (lines: readonly (readonly string[])[]) => Promise<readonly CheckRun[]>;

/** The files of a pair of versions, made for its checks. */
export interface PairFiles {
  /** The CRDs as the cluster has them. */
  readonly live: string;
  /** The folder of the new version. */
  readonly next: string;
  /** Stored objects; absent where there are none. */
  readonly objects: string | undefined;
  /** A snapshot of a cluster that has the live CRDs. */
  readonly snapshot: string;
}

/**
 * The minor of the API servers that all checks are asked for: that of `npm run envtest:install`.
 */
export const serverMinor = '1.36';

/**
 * Every check of `isthmus upgrade check` that has something to read in this pair, as arguments. The
 * first argument is its name.
 */
export function checksOf(
  old: VersionContent | undefined,
  next: VersionContent,
  files: PairFiles,
): readonly (readonly string[])[] {
  const { live, objects, snapshot } = files;
  const hasDefinitions = next.definitions.length > 0;
  const both = (kind: keyof VersionContent['files']): readonly string[] | undefined => {
    const [before, after] = [old?.files[kind], next.files[kind]];
    return before === undefined || after === undefined ? undefined : [before, after];
  };
  const [bundles, metrics] = [both('bundle'), both('metrics')];
  const server = ['--server', serverMinor];
  return [
    ...(hasDefinitions ? [['crd', live, files.next, ...server]] : []),
    ...(hasDefinitions && objects !== undefined
      ? [['objects', '--crd', files.next, '--old', live, '-f', objects, ...server]]
      : []),
    ...(next.hasObjects ? [['manifests', '-f', files.next, '--crd', live, '--kubernetes', serverMinor]] : []),
    ...(hasDefinitions ? [['placement', '-f', files.next, '--existing', live]] : []),
    ...(next.hasObjects ? [['deprecations', '--snapshot', snapshot, '-f', files.next]] : []),
    ...(bundles === undefined ? [] : [['release', ...bundles]]),
    ...(metrics === undefined ? [] : [['metrics', ...metrics]]),
    ...(next.files.snapshot === undefined ? [] : [['skew', '--snapshot', next.files.snapshot]]),
  ].map((args) => [...args, '-o', 'json']);
}

/** Whether a check came to a result: no findings, warnings, or findings that block. */
export function hasResult({ exit }: CheckRun): boolean {
  return exit === 0 || exit === 2 || exit === 3;
}
