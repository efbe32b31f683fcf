import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { ProgramExit, StartProgram } from './io.ts';

/**
 * Starts a program of this machine, without a shell and in a session of its own, so that a Ctrl-C
 * does not reach it. Rejects if it cannot be started.
 */
export const startProgram: StartProgram = (program, args, { env, onStdout, onStderr }) =>
  new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'], env: { ...env }, detached: true });
    handOn(child.stdout, onStdout);
    handOn(child.stderr, onStderr);
    const exited = new Promise<ProgramExit>((ended) =>
      child.once('close', (code, signal) => ended({ code: code ?? undefined, signal: signal ?? undefined })),
    );
    child.once('error', ({ message }) => reject(new Error(`cannot run ${program}: ${message}`)));
    // A program may end without reading all of it; how it ended is the result.
    child.stdin.on('error', () => {});
    child.once('spawn', () =>
      resolve({
        pid: child.pid ?? 0,
        exited,
        write: (data) => void child.stdin.write(data),
        endInput: () => void child.stdin.end(),
        kill: (signal) => void child.kill(signal),
      }),
    );
  });

/** Reads on when `take` has finished. */
function handOn(stream: Readable, take: ((bytes: Uint8Array) => void | Promise<void>) | undefined): void {
  stream.on('error', () => {});
  if (take === undefined) return void stream.resume();
  stream.on('data', (bytes: Uint8Array) => {
    const taken = take(bytes);
    if (taken === undefined) return;
    stream.pause();
    const goOn = () => void stream.resume();
    taken.then(goOn, goOn);
  });
}
