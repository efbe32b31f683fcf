import { parts } from '../soak.ts';
import type { Passed } from './passed.ts';

/** A command that must succeed before a candidate is built, and what it shows. */
export interface Stage {
  readonly name: string;
  readonly command: readonly string[];
}

/**
 * All that a candidate must pass, in this order. What each commit must pass is listed in one place,
 * which notes its own stages; each part of the soak is a stage.
 */
export const stages: readonly Stage[] = [
  { name: 'checks of a release', command: ['.ci/run', 'release'] },
  ...Object.keys(parts).map((part) => ({ name: `soak: ${part}`, command: ['npm', 'run', 'soak', '--', part] })),
];

const build: Stage = { name: 'artifacts', command: ['npm', 'run', 'build'] };

/** The facts that are known before anything runs. */
export interface Checkout {
  /** The version in `package.json`. */
  readonly version: string;
  readonly commit: string;
  /**
   * Files that differ from the commit, one per line as `git status --porcelain` prints them; empty
   * where none does.
   */
  readonly changes: string;
}

/** How a stage ended. */
export interface Ended {
  readonly code: number;
  /** The last line that it printed on its standard output. */
  readonly lastLine: string;
}

export interface CandidateWorld {
  /** The present state of the checkout. */
  readonly look: () => Checkout;
  /** Runs a stage, with its output on the terminal. */
  readonly run: (stage: Stage) => Promise<Ended>;
  readonly say: (line: string) => void;
  /** Milliseconds of a clock that does not go back. */
  readonly now: () => number;
  /** The time: RFC 3339. */
  readonly date: () => string;
  /** The stages that passed on this commit, also in runs before this one and within stages. */
  readonly passed: () => readonly Passed[];
  /** Keeps a stage that has passed. */
  readonly keep: (passed: Passed) => void;
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
 * Builds the artifacts of a release candidate if the whole suite and the soak succeed on its
 * commit, and nothing otherwise. Stages that passed on this commit in an earlier run are not run
 * again. Resolves to the exit code: 0, 1 where a stage failed, 2 where there is an obstacle.
 */
export async function makeCandidate(world: CandidateWorld): Promise<0 | 1 | 2> {
  const { look, run, say, now, date, passed, keep } = world;
  const checkout = look();
  const obstacle = obstacleTo(checkout);
  if (obstacle !== undefined) {
    say(`no candidate: ${obstacle}`);
    return 2;
  }
  say(`candidate ${checkout.version} of commit ${checkout.commit}`);
  for (const stage of [...stages, build]) {
    const before = passed().find(({ name }) => name === stage.name);
    if (before !== undefined) {
      say(`ok   ${stage.name}: passed at ${before.at}, in ${before.seconds} s`);
      continue;
    }
    const from = now();
    const { code, lastLine } = await run(stage);
    const seconds = Math.round((now() - from) / 1_000);
    say(`${code === 0 ? 'ok  ' : 'FAIL'} ${stage.name}: ${seconds} s`);
    if (code !== 0) {
      say(`no candidate: ${stage.command.join(' ')} ended with ${code}. Nothing was built. ${next}`);
      return 1;
    }
    const { commit, changes } = look();
    if (commit !== checkout.commit || changes.trim() !== '') {
      say(
        `no candidate: the checkout was changed while ${stage.command.join(' ')} ran, so it is not known what passed.`,
      );
      return 1;
    }
    // The artifacts are made each time: the caller wants them, and earlier ones may have been
    // changed since.
    if (stage !== build) keep({ name: stage.name, at: date(), seconds, result: lastLine });
  }
  for (const line of summaryOf(checkout, passed())) say(line);
  say(`candidate ${checkout.version} of commit ${checkout.commit}: the artifacts are in dist`);
  return 0;
}

const next =
  'What has passed on this commit is kept: npm run candidate continues, npm run candidate -- --again runs everything again.';

/**
 * The passed stages, as a table that can be pasted into release notes. The checks of a release are
 * in it by their own stages, some of which may have passed in an earlier run.
 */
function summaryOf({ version, commit }: Checkout, passed: readonly Passed[]): readonly string[] {
  const shown = passed.filter(({ name }) => name !== stages[0]?.name);
  const rows = shown.map(
    ({ name, seconds, at, result }) => `| ${name} | ${seconds} s | ${at} | ${result.replaceAll('|', '\\|')} |`,
  );
  return [
    `What passed on commit ${commit}, version ${version}:`,
    '',
    '| stage | time | ended | result |',
    '|---|---|---|---|',
    ...rows,
    '',
  ];
}
