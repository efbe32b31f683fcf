/**
 * `npm run soak -- [part...] [--seeds n] [--from seed]`: long runs that `npm test` does not make.
 * Without names, every part runs. Each part is a program of its own that prints its checks, one
 * JSON document per line; a check that does not hold, a program that fails, and a part without any
 * check make the exit code 1, arguments that cannot be read make it 2.
 */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { errorMessage } from '@isthmus/machinery';
import { unlessHelp, wrongArguments } from './script-arguments.ts';

/** One line of a part's program. */
export interface SoakCheck {
  readonly title: string;
  readonly ok: boolean;
  /** The finding. */
  readonly detail: string;
}

export interface SoakOptions {
  /** How many seeds the parts run that have some. */
  readonly seeds: number;
  /** The first of them. */
  readonly from: number;
}

interface SoakPart {
  readonly summary: string;
  /** From the root of the repository. */
  readonly program: string;
  readonly args: (options: SoakOptions) => readonly string[];
}

/** The parts that can run, by name. */
export const parts: Readonly<Record<string, SoakPart>> = {
  features: {
    summary: 'switches the features of the sandbox off one by one: some contract case must turn red each time',
    program: 'packages/sandbox/src/contract/features/testing/run-features.ts',
    args: () => [],
  },
  chaos: {
    summary: 'lets faults and people loose on fleets, for many seeds: in the end it is as if there had been none',
    program: 'packages/controlplane/src/adversary/testing/run-chaos.ts',
    args: ({ seeds, from }) => [String(from), String(seeds)],
  },
  losses: {
    summary:
      'loses objects of a Common Area, with their labels and annotations, for many seeds: no import changes at any moment',
    program: 'packages/controlplane/src/adversary/testing/run-losses.ts',
    args: ({ seeds, from }) => [String(from), String(seeds)],
  },
  truths: {
    summary:
      'lets faults loose on fleets, 60 sequences for each seed: no status is false for a minute, and nothing is written without an end',
    program: 'packages/controlplane/src/adversary/testing/truths/run-truths.ts',
    args: ({ seeds, from }) => [String(from), String(seeds)],
  },
  nodes: {
    summary:
      'runs a release on real Nodes that fail, are drained, are out of memory or have a full disk, and under Helm: no call fails and no import changes; and types the guides of Antrea',
    program: 'scripts/soak-envtests.ts',
    args: () => [
      'scripts/release/on-nodes',
      'scripts/release/agent-on-nodes',
      'scripts/release/guides-on-nodes',
      'scripts/release/testbed-on-nodes',
    ],
  },
  servers: {
    summary: 'runs all of the tests on real API servers of which `npm run test:envtest` runs a share',
    program: 'scripts/soak-envtests.ts',
    args: () => [
      'packages/controlplane/src/scenarios/losses',
      'packages/controlplane/src/scenarios/sigterm',
      'packages/controlplane/src/scenarios/busy-admission',
      'bench/swaps/previous-release',
    ],
  },
  oldest: {
    summary:
      'the main story on the oldest supported Kubernetes, which it builds: joining, exports, merges, imports, policies, leaving, manifests, the chart, upgrades, admission policies',
    program: 'scripts/soak-oldest.ts',
    args: () => [
      'packages/controlplane/src/scenarios/walkthrough',
      'packages/controlplane/src/scenarios/policies',
      'packages/controlplane/src/scenarios/session',
      'packages/controlplane/src/scenarios/token-binding',
      'packages/controlplane/src/scenarios/uninstall-orders',
      'packages/controlplane/src/scenarios/samples',
      'packages/install/src/admission',
      'scripts/generate/manifests',
      'scripts/generate/chart',
      'scripts/release/previous',
    ],
  },
};

/**
 * The parts to run. Errors: an unknown part or option, a number that is not valid, with the known
 * ones.
 */
export function readSoakArguments(args: readonly string[]): { readonly names: readonly string[] } & SoakOptions {
  const { positionals, values } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { seeds: { type: 'string', default: '20' }, from: { type: 'string', default: '1' } },
  });
  const unknown = positionals.find((name) => !Object.hasOwn(parts, name));
  if (unknown !== undefined) {
    const known = Object.entries(parts).map(([name, { summary }]) => `  ${name}: ${summary}`);
    throw new Error(`unknown part ${JSON.stringify(unknown)}; the parts are:\n${known.join('\n')}`);
  }
  const count = (name: 'seeds' | 'from') => {
    if (!/^[1-9]\d{0,8}$/.test(values[name])) {
      throw new Error(`--${name} must be a positive number, not ${JSON.stringify(values[name])}`);
    }
    return Number(values[name]);
  };
  const names = positionals.length === 0 ? Object.keys(parts) : [...new Set(positionals)];
  return { names, seeds: count('seeds'), from: count('from') };
}

/** The end of a part: what to print, and whether it holds. */
export function verdictOnPart(
  name: string,
  checks: readonly Pick<SoakCheck, 'ok'>[],
  code: number | null,
): { readonly ok: boolean; readonly line: string } {
  const failed = checks.filter(({ ok }) => !ok).length;
  const ended = code === 0 ? '' : `, its program ended with ${code ?? 'a signal'}`;
  const ok = code === 0 && failed === 0 && checks.length > 0;
  return { ok, line: `${ok ? 'ok  ' : 'FAIL'} ${name}: ${checks.length} checks, ${failed} failed${ended}` };
}

async function run(name: string, options: SoakOptions): Promise<ReturnType<typeof verdictOnPart>> {
  const part = parts[name];
  if (part === undefined)
    throw new Error(`unknown part ${JSON.stringify(name)}; known are ${Object.keys(parts).join(', ')}`);
  const root = fileURLToPath(new URL('..', import.meta.url));
  const child = spawn(process.execPath, [part.program, ...part.args(options)], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const checks: SoakCheck[] = [];
  let last = performance.now();
  for await (const line of createInterface({ input: child.stdout })) {
    const check = JSON.parse(line) as SoakCheck;
    checks.push(check);
    const seconds = ((performance.now() - last) / 1000).toFixed(1);
    last = performance.now();
    console.log(`${check.ok ? 'ok  ' : 'FAIL'} ${name}: ${check.title} (${seconds} s)`);
    if (!check.ok) console.log(check.detail.replaceAll(/^/gm, '     '));
  }
  return verdictOnPart(name, checks, await ended);
}

async function main(): Promise<number> {
  let read: ReturnType<typeof readSoakArguments>;
  try {
    read = readSoakArguments(unlessHelp('soak'));
  } catch (error) {
    return wrongArguments('soak', errorMessage(error));
  }
  const verdicts = [];
  for (const name of read.names) verdicts.push(await run(name, read));
  for (const { line } of verdicts) console.log(line);
  return verdicts.every(({ ok }) => ok) ? 0 : 1;
}

if (import.meta.main) process.exitCode = await main();
