/**
 * The process that owns one cluster's processes and its directory, so that nothing is left however
 * the runner ends.
 *
 * It leads a process group (the runner starts it detached) in which all components run, and it is
 * started with an IPC channel. Three processes watch each other through pipes, which the kernel
 * closes when a process dies, by kill -9 too:
 *
 *     runner ──IPC──▶ supervisor ──pipe──▶ guard (sh)
 *                        └── components, in the supervisor's process group
 *
 * - The runner ends: the channel closes; the supervisor kills and reaps the components and exits.
 * - The supervisor ends, for that reason or by kill -9: the guard reads end-of-file, kills the
 *   process group, removes the directory.
 *
 * - The guard is killed: the supervisor starts another.
 *
 * So the guard alone removes the directory, in every case, and an ordinary stop takes the path of a
 * crash. It is a shell and not a Node process so that `pkill -9 node` does not reach it. It starts
 * before the directory is made. What stays uncovered: kill -9 of guard and supervisor in the same
 * instant.
 *
 * This module is a program; it uses child_process, fs and process because it implements them for
 * the others.
 */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import type { SpawnRequest, SupervisorEvent } from './supervisor-protocol.ts';

/**
 * $1: the process group; $2: the directory; $3: a cgroup, or nothing. A killed process may still be
 * writing, or in its cgroup, for a moment: so the removal is repeated.
 */
const guardScript = `read -r _; kill -KILL "-$1"
n=0; while [ -e "$2" ] && [ $n -lt 50 ]; do rm -rf -- "$2" || sleep 0.1; n=$((n+1)); done
[ -n "$3" ] || exit 0
n=0; while [ $n -lt 100 ]; do
  left=0; for each in /sys/fs/cgroup/*/"$3"; do
    if [ -d "$each" ]; then find "$each" -depth -type d -exec rmdir {} + || left=1; fi
  done
  [ $left = 0 ] && exit 0; sleep 0.1; n=$((n+1))
done`;

function supervise(directory: string, cgroup: string): void {
  const running = new Map<number, ChildProcess>();

  const send = (event: SupervisorEvent) => {
    // The runner may have ended already, and then the message has no reader.
    if (process.connected) process.send?.(event, () => {});
  };

  const start = (request: SpawnRequest) => {
    const { id } = request;
    const log = openSync(join(directory, request.log), 'a', 0o600);
    const child = spawn(request.program, request.args, {
      cwd: directory,
      env: { ...request.env },
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    running.set(id, child);
    child.once('spawn', () => send({ kind: 'spawned', id, pid: child.pid ?? 0 }));
    child.once('error', (error) => {
      running.delete(id);
      send({ kind: 'exited', id, how: `could not be started: ${error.message}` });
    });
    child.once('exit', (code, signal) => {
      running.delete(id);
      send({ kind: 'exited', id, how: signal === null ? `exited with code ${code}` : `was ended by ${signal}` });
    });
  };

  const shutDown = () => {
    const exitWhenAlone = () => {
      if (running.size === 0) process.exit(0);
    };
    for (const child of running.values()) {
      child.once('exit', exitWhenAlone);
      child.kill('SIGKILL');
    }
    exitWhenAlone();
  };

  // Checked before there is a guard that would remove it.
  if (existsSync(directory)) throw new Error(`${directory} exists already, and is not this cluster's`);
  const startGuard = () => {
    // Output 1 is inherited on purpose: it closes when both supervisor and guard have ended, which
    // notifies the runner.
    const guard = spawn('/bin/sh', ['-c', guardScript, 'guard', String(process.pid), directory, cgroup], {
      cwd: '/',
      detached: true,
      stdio: ['pipe', 'inherit', 'ignore'],
    });
    guard.once('error', (error) => {
      console.error(`no cluster can be supervised without /bin/sh: ${error.message}`);
      process.exit(1);
    });
    guard.once('exit', (_code, signal) => {
      if (signal !== null) startGuard();
    });
  };
  startGuard();
  mkdirSync(directory, { mode: 0o700 });

  process.once('disconnect', shutDown);
  process.on('message', start);
  if (process.connected) send({ kind: 'ready' });
  else shutDown();
}

if (import.meta.main) {
  const [, , directory, cgroup = ''] = process.argv;
  if (directory === undefined)
    throw new Error('usage: supervisor.ts <directory that it makes and removes> [<cgroup that it removes>]');
  supervise(directory, cgroup);
}
