/** A command that must succeed before a candidate is built, and what it shows. */
export interface Stage {
  readonly name: string;
  readonly command: readonly string[];
}

/** All that a candidate must pass, in this order. What each commit must pass is listed in one place, and prints the time of its own stages. */
export const stages: readonly Stage[] = [
  { name: 'checks of each commit', command: ['.ci/run'] },
  { name: 'soak', command: ['npm', 'run', 'soak'] },
];

const build: Stage = { name: 'artifacts', command: ['npm', 'run', 'build'] };

/** What is known before anything is run. */
export interface Checkout {
  /** That of `package.json`. */
  readonly version: string;
  readonly commit: string;
  /** Files that differ from the commit, one per line as `git status --porcelain` prints them; empty where none does. */
  readonly changes: string;
}

export interface CandidateWorld {
  /** Runs a stage, with its output on the terminal; resolves to the exit code. */
  readonly run: (stage: Stage) => Promise<number>;
  readonly say: (line: string) => void;
  /** Milliseconds of a clock that does not go back. */
  readonly now: () => number;
}

/** Why no candidate may be made of a checkout; undefined where one may. */
function obstacleTo({ version, changes }: Checkout): string | undefined {
  if (!/^\d+\.\d+\.\d+-rc\.\d+$/.test(version))
    return `the version in package.json is ${version}, and that of a candidate has the form 1.2.3-rc.1: set it, and commit`;
  if (changes.trim() !== '')
    return `the checkout differs from its commit:\n${changes.trimEnd()}\nCommit the changes, and try again.`;
  return undefined;
}

/**
 * Builds the artifacts of a release candidate if the whole suite and the soak succeed on its commit, and nothing otherwise. Resolves to the exit code: 0, 1
 * where a stage failed, 2 where there is an obstacle.
 */
export async function makeCandidate(checkout: Checkout, { run, say, now }: CandidateWorld): Promise<0 | 1 | 2> {
  const obstacle = obstacleTo(checkout);
  if (obstacle !== undefined) {
    say(`no candidate: ${obstacle}`);
    return 2;
  }
  say(`candidate ${checkout.version} of commit ${checkout.commit}`);
  for (const stage of [...stages, build]) {
    const from = now();
    const code = await run(stage);
    say(`${code === 0 ? 'ok  ' : 'FAIL'} ${stage.name}: ${Math.round((now() - from) / 1_000)} s`);
    if (code !== 0) {
      say(`no candidate: ${stage.command.join(' ')} ended with ${code}. Nothing was built.`);
      return 1;
    }
  }
  say(`candidate ${checkout.version} of commit ${checkout.commit}: the artifacts are in dist`);
  return 0;
}
