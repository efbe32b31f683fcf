import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { LabNode } from '@isthmus/testkit';
import type { WatchProgram } from '../kernel/kernel-monitor.ts';

/** Runs monitors in a Node of a lab. */
export function labWatch({ place }: LabNode): WatchProgram {
  return (program, args, onLine, signal) =>
    new Promise((resolve) => {
      const inside = place.command(program, args);
      const child = spawn(inside.program, inside.args, { stdio: ['ignore', 'pipe', 'inherit'] });
      const stop = () => child.kill();
      signal.addEventListener('abort', stop, { once: true });
      createInterface({ input: child.stdout }).on('line', onLine);
      child.on('error', ({ message }) => resolve(message));
      // Not when its output closes: a child process in the Node runs until the lab ends, and holds
      // the output open.
      child.on('exit', (code) => {
        signal.removeEventListener('abort', stop);
        resolve(`it ended with code ${code ?? -1}`);
      });
    });
}
