import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readFileSync, readdirSync, rmdirSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { sweepOf } from '../sweep.ts';
import { processesOf, tracesLeft, tracesOf } from './left-behind.ts';
import { superviseIn } from './supervision.ts';

/** Only a test that hangs takes as long. */
const hangMs = 300_000;

const newDirectory = () => join(tmpdir(), `isthmus-supervision-${randomBytes(6).toString('hex')}`);

/** Only SIGKILL ends it at once; it writes into its directory until then. */
const stubborn = {
  program: '/bin/sh',
  args: ['-c', 'trap "" TERM INT HUP; echo up; while :; do echo x > scratch; sleep 0.01; done'],
  env: { PATH: process.env['PATH'] ?? '' },
  log: 'stubborn.log',
};

/** The traces are read from /proc. */
const onLinux = describe.skipIf(process.platform !== 'linux');

onLinux('superviseIn', () => {
  it('runs a program in a directory of its own, and removes both when disposed of', async () => {
    const directory = newDirectory();
    const supervision = await superviseIn(directory);
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    const child = await supervision.spawn(stubborn);
    expect(processesOf(directory).map((found) => found.pid)).toContain(child.pid);
    await expect.poll(() => readFileSync(join(directory, 'stubborn.log'), 'utf8')).toBe('up\n');
    await supervision[Symbol.asyncDispose]();
    // The last `sleep` of the program's shell outlives it by a hundredth of a second.
    await expect.poll(() => tracesOf(directory)).toEqual([]);
  });

  it.each([
    ['exited with code 3', 'exit 3', undefined],
    ['was ended by SIGKILL', 'sleep 60', 'SIGKILL' as const],
  ])('reports that a program %s', async (how, script, signal) => {
    await using supervision = await superviseIn(newDirectory());
    const child = await supervision.spawn({ ...stubborn, args: ['-c', script] });
    if (signal !== undefined) child.signal(signal);
    expect(await child.exited).toBe(how);
    child.signal('SIGKILL');
  });

  it('waits until no thread of a program that it freezes runs any more', async () => {
    await using supervision = await superviseIn(newDirectory());
    const busy = `
      const { Worker } = require('node:worker_threads');
      for (let n = 0; n < 4; n++) new Worker('for (;;);', { eval: true }).once('online', () => console.log('up'));
    `;
    const log = join(supervision.directory, 'stubborn.log');
    const child = await supervision.spawn({ ...stubborn, program: process.execPath, args: ['-e', busy] });
    await expect.poll(() => readFileSync(log, 'utf8')).toBe('up\n'.repeat(4));
    const states = () =>
      readdirSync(`/proc/${child.pid}/task`).map(
        (thread) =>
          /^State:\t(\S)/m.exec(readFileSync(`/proc/${child.pid}/task/${thread}/status`, 'utf8'))?.[1] ?? 'none',
      );
    for (let round = 0; round < 20; round++) {
      await child.freeze();
      expect(new Set(states())).toEqual(new Set('T'));
      child.signal('SIGCONT');
    }
    child.signal('SIGKILL');
    await child.exited;
    // A program that has ended does not need to be waited for.
    await child.freeze();
  });

  it('reports which program could not be started, and why', async () => {
    await using supervision = await superviseIn(newDirectory());
    const start = supervision.spawn({ program: '/nonexistent/etcd', args: [], log: 'etcd.log' });
    await expect(start).rejects.toThrow(/starting \/nonexistent\/etcd: it could not be started: .*ENOENT/);
  });

  it('refuses a directory that exists, and leaves it alone', async () => {
    const directory = newDirectory();
    mkdirSync(directory);
    await expect(superviseIn(directory)).rejects.toThrow(`${directory} exists already`);
    expect(tracesOf(directory)).toEqual([directory]);
    rmdirSync(directory);
  });
});

onLinux('kill -9', () => {
  const script = `
    import { superviseIn } from ${JSON.stringify(new URL('supervision.ts', import.meta.url).href)};
    console.log('starting');
    const supervision = await superviseIn(process.argv[1]);
    await supervision.spawn(${JSON.stringify(stubborn)});
    console.log('running');
  `;
  const startRunner = (directory: string) =>
    spawn(process.execPath, ['--input-type=module', '--eval', script, directory], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  const untilSaid = async (runner: ChildProcess, word: string) => {
    let output = '';
    for await (const chunk of runner.stdout ?? []) {
      output += String(chunk);
      if (output.includes(word)) return;
    }
    throw new Error(`the runner ended before it printed "${word}"`);
  };
  /** The process with that role; each has the directory in its command line. */
  const pidOf = (directory: string, role: 'supervisor.ts' | ' guard ') => {
    const found = processesOf(directory).find((candidate) => candidate.commandLine.includes(role));
    if (found === undefined) throw new Error(`no ${role} of ${directory}`);
    return found.pid;
  };

  const victimsOf: readonly (readonly [string, (directory: string, runner: number) => readonly number[]])[] = [
    ['the runner', (_, runner) => [runner]],
    ['the supervisor', (directory) => [pidOf(directory, 'supervisor.ts')]],
    ['both, runner first', (directory, runner) => [runner, pidOf(directory, 'supervisor.ts')]],
    ['both, supervisor first', (directory, runner) => [pidOf(directory, 'supervisor.ts'), runner]],
  ];
  const kindOf = ([who]: (typeof victimsOf)[number]) => who.replace(/,.*/, '');
  it.each(sweepOf(victimsOf, { oneIn: 2, kindOf }))('of %s leaves no process and no directory', async (_, victims) => {
    const directory = newDirectory();
    const runner = startRunner(directory);
    const exited = once(runner, 'exit');
    await untilSaid(runner, 'running');
    expect(tracesOf(directory).length).toBeGreaterThanOrEqual(5);
    for (const pid of victims(directory, runner.pid ?? 0)) process.kill(pid, 'SIGKILL');
    expect(await tracesLeft(directory, hangMs)).toEqual([]);
    await exited;
  });

  it('of the guard only brings another guard', async () => {
    const directory = newDirectory();
    const supervision = await superviseIn(directory);
    const first = pidOf(directory, ' guard ');
    process.kill(first, 'SIGKILL');
    await expect.poll(() => processesOf(directory).filter((found) => found.pid !== first).length).toBe(2);
    await supervision[Symbol.asyncDispose]();
    expect(tracesOf(directory)).toEqual([]);
  });

  it('of the runner at any moment of the start leaves no process and no directory', async () => {
    const moments = sweepOf([0, 20, 40, 60, 80, 100, 130], { oneIn: 3 });
    const left = await Promise.all(
      moments.map(async (afterMs) => {
        const directory = newDirectory();
        const runner = startRunner(directory);
        const exited = once(runner, 'exit');
        await untilSaid(runner, 'starting');
        await delay(afterMs);
        runner.kill('SIGKILL');
        await exited;
        await delay(300);
        return tracesLeft(directory, hangMs);
      }),
    );
    expect(left.flat()).toEqual([]);
  });
});
