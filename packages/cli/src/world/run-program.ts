import { spawn } from 'node:child_process';
import type { Program, ProgramEnd } from '@isthmus/kube';

/**
 * Runs a program of this machine to its end, without a shell. Its output may have up to 1 MiB.
 * Rejects as soon as `signal` aborts, even if the program has left other programs behind.
 */
export function runProgram(program: Program, signal: AbortSignal): Promise<ProgramEnd> {
  const { command, args, env, interactive } = program;
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      env: { ...process.env, ...env },
      stdio: [interactive ? 'inherit' : 'ignore', 'pipe', interactive ? 'inherit' : 'pipe'],
      windowsHide: true,
    });
    const end = (why: unknown) => {
      child.kill('SIGKILL');
      // A program that this one has started may hold the pipes open for as long as it likes.
      child.stdout?.destroy();
      child.stderr?.destroy();
      reject(why);
    };
    const onAbort = () => end(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    let [stdout, stderr] = ['', ''];
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      if (stdout.length > maxLength) end(new Error('it printed more than 1 MiB'));
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr = (stderr + text).slice(-keptLength)));
    child.on('error', (error) => {
      signal.removeEventListener('abort', onAbort);
      reject(error);
    });
    child.on('close', (exitCode) => {
      signal.removeEventListener('abort', onAbort);
      resolve({ exitCode, stdout, stderr });
    });
  });
}

const maxLength = 2 ** 20;
const keptLength = 2000;
