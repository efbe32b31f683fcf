import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { processesOf, tracesLeft } from '../apiserver/left-behind.ts';

/** The runner's directory for all its files: a temporary directory of its own. */
let temporary: string;
beforeEach(() => {
  temporary = mkdtempSync(join(tmpdir(), 'isthmus-crash-'));
});
afterEach(() => rmSync(temporary, { recursive: true, force: true }));

/**
 * Starts a process that starts a fleet whose controllers are processes, and reports each phase that
 * has ended.
 */
function startRunner() {
  const script = `
    import { startRealFleet } from ${JSON.stringify(new URL('real-fleet.ts', import.meta.url).href)};
    import { controllersAsProcesses } from ${JSON.stringify(new URL('controllers-as-processes.ts', import.meta.url).href)};
    await using fleet = await startRealFleet({
      clusters: { north: 'leader', east: 'member' },
      controllers: controllersAsProcesses,
      async run(phase, work) {
        const result = await work();
        console.log(phase);
        return result;
      },
    });
    await new Promise((resolve) => setTimeout(resolve, 120_000));
  `;
  const runner = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    env: { ...process.env, TMPDIR: temporary },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return { runner, lines: createInterface(runner.stdout), exited: once(runner, 'exit') };
}

/**
 * The traces of the runner's clusters: directories, and processes that work in them or name them.
 */
async function left(): Promise<readonly string[]> {
  const clusters = readdirSync(temporary).map((name) => join(temporary, name));
  const traces = await Promise.all(clusters.map((directory) => tracesLeft(directory, 10_000)));
  return [...traces.flat(), ...processesOf(temporary).map(({ commandLine }) => commandLine)];
}

describe('kill -9 of a process that has started a fleet', () => {
  it.each(['start the controllers', 'join the ClusterSet'])(
    'leaves no process and no directory after "%s"',
    async (phase) => {
      const { runner, lines, exited } = startRunner();
      for await (const line of lines) if (line === phase) break;
      const controllers = processesOf(temporary).filter(({ commandLine }) => commandLine.includes(' controller '));
      expect(controllers).toHaveLength(2);
      runner.kill('SIGKILL');
      await exited;
      expect(await left()).toEqual([]);
      expect(readdirSync(temporary)).toEqual([]);
    },
  );
});
