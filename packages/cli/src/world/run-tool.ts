import { spawn } from 'node:child_process';
import { keptErrorLength } from '@isthmus/dataplane';
import type { RunProgram } from '@isthmus/dataplane';

/**
 * Runs a program of this machine to its end, without a shell, with this text as its standard input.
 * Any code is a result; -1 means that a signal ended the program, and the end of its output names
 * the signal. Rejects if the program cannot be started.
 */
export const runTool: RunProgram = (program, args, input) =>
  new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'], windowsHide: true });
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr = (stderr + text).slice(-keptErrorLength)));
    child.on('error', (error: NodeJS.ErrnoException) =>
      reject(new Error(`cannot run ${program}: ${whyNotRun(error)}`)),
    );
    child.on('close', (code, signal) =>
      resolve({ code: code ?? -1, stdout, stderr: signal === null ? stderr : `${stderr}it was ended by ${signal}` }),
    );
    // A program may end without reading all of it; how it ended is the result.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });

/** Why a program could not be started, as text for users. */
export function whyNotRun({ code, message }: NodeJS.ErrnoException): string {
  return code === 'ENOENT' ? 'it is not installed, or not in a folder of PATH' : message;
}
