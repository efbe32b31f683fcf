/** `npm run candidate`: the artifacts of a release candidate, if the whole suite and the soak succeed on its commit. docs/release.md has the steps around it. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { makeCandidate } from './candidate.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' });
const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  readonly version: string;
};

process.exitCode = await makeCandidate(
  { version, commit: git('rev-parse', 'HEAD').trim(), changes: git('status', '--porcelain') },
  {
    now: () => performance.now(),
    say: (line) => console.log(line),
    run: async ({ command: [program = '', ...args] }) => {
      const child = spawn(program, args, { cwd: root, stdio: 'inherit' });
      const [code] = (await once(child, 'exit')) as unknown as readonly [number | null];
      return code ?? 1;
    },
  },
);
