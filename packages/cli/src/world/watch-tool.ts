import { spawn } from 'node:child_process';
import type { WatchProgram } from '@isthmus/dataplane';
import { whyNotRun } from './run-tool.ts';

/**
 * Runs a program of this machine, without a shell, and passes its lines on, each cut to 2,000
 * characters.
 */
export const watchTool: WatchProgram = (program, args, onLine, signal) =>
  new Promise((resolve) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true });
    const stop = () => child.kill();
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    let [rest, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const [first = '', ...lines] = text.split('\n');
      rest = (rest + first.slice(0, keptLength)).slice(0, keptLength);
      for (const line of lines) {
        onLine(rest);
        rest = line.slice(0, keptLength);
      }
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr = (stderr + text).slice(-keptLength)));
    const end = (why: string) => {
      signal.removeEventListener('abort', stop);
      resolve(why);
    };
    child.on('error', (error) => end(`cannot run ${program}: ${whyNotRun(error)}`));
    child.on('close', (code, endedBy) => {
      const how = endedBy === null ? `it ended with code ${code}` : `it was ended by ${endedBy}`;
      end(stderr.trim() === '' ? how : stderr.trim());
    });
  });

const keptLength = 2000;
