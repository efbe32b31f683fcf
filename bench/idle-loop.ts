import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** A process of Node that does nothing: the delay of its event loop is that of the machine. */
export interface IdleLoop extends AsyncDisposable {
  /**
   * The 99th percentile of its delay since the last question, in milliseconds, as the controllers'
   * metrics measure theirs.
   */
  lagMs(): Promise<number>;
}

/** Starts it. It ends with its standard input, so with this process at the latest. */
export function idleLoop(): IdleLoop {
  const child = spawn(process.execPath, ['--eval', program], { stdio: ['pipe', 'pipe', 'inherit'] });
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async lagMs() {
      child.stdin.write('\n');
      return Number((await answers.next()).value);
    },
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit');
      child.stdin.end();
      await ended;
    },
  };
}

/** The resolution is that of the controllers' metrics. */
const program = `
const { monitorEventLoopDelay } = require('node:perf_hooks');
const delay = monitorEventLoopDelay({ resolution: 10 });
delay.enable();
process.stdin.on('data', () => {
  console.log(delay.percentile(99) / 1e6);
  delay.reset();
});
process.stdin.on('end', () => process.exit());
`;
