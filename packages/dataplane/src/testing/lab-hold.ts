import { spawn } from 'node:child_process';
import type { LabNode } from '@isthmus/testkit';
import type { HoldProgram } from '../kernel/held-nft.ts';

/** Keeps programs open in a Node of a lab. */
export function labHold({ place }: LabNode): HoldProgram {
  return (program, args, { onError, onEnd }) => {
    const inside = place.command(program, args);
    const child = spawn(inside.program, inside.args, {
      stdio: ['pipe', 'ignore', 'pipe'],
      env: { ...process.env, HOME: '/nonexistent' },
    });
    child.stderr.setEncoding('utf8').on('data', onError);
    child.stdin.on('error', () => {});
    child.on('error', ({ message }) => onEnd(message));
    child.on('close', (code) => onEnd(`it ended with code ${code ?? -1}`));
    return Promise.resolve({
      write: (text) => void child.stdin.write(text),
      close: () => void child.stdin.end(),
    });
  };
}
