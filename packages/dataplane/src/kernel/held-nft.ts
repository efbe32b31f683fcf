import type { Clock } from '@isthmus/machinery';
import { keptErrorLength } from './write-network.ts';
import type { RunProgram } from './write-network.ts';

/** A program that runs until it is closed, and executes the commands in its standard input. */
export interface HeldProgram {
  write(text: string): void;
  /** Closes its input, which also ends the program. */
  close(): void;
}

export interface HeldOutput {
  /** Called with its standard error, as it comes. */
  readonly onError: (text: string) => void;
  /** Called once, with why it ended, in the form that {@link RunProgram} has for a signal. */
  readonly onEnd: (why: string) => void;
}

/**
 * Starts a program of the Node without a shell. Its home directory is not a user's, so it leaves no
 * history there. Errors: rejects if it cannot be started.
 */
export type HoldProgram = (program: string, args: readonly string[], output: HeldOutput) => Promise<HeldProgram>;

export interface HeldNftOptions {
  readonly run: RunProgram;
  readonly hold: HoldProgram;
  readonly clock: Pick<Clock, 'after'>;
  /**
   * In characters. A longer input takes so long that the start of a program does not matter.
   * Default: 4,096.
   */
  readonly longestInput?: number;
}

export interface HeldNft {
  readonly run: RunProgram;
  /** Ends the program; the next transaction starts it again. */
  close(): void;
}

/**
 * The most commands of one process: it remembers each line, and keeps what it has read of the
 * kernel.
 */
const mostCommands = 1_000;
/**
 * Changes come in bursts. After this time without one, the program is ended, so that it takes no
 * memory.
 */
const restMs = 30_000;

/**
 * Runs short transactions of `nft -f -` in one `nft -i` that is kept open. Starting the program
 * takes ten times as long as changing one Service. All else is run by `run`. If `nft` has no
 * command line of its own (`--without-cli`), `run` runs everything.
 */
export function withHeldNft({ run, hold, clock, longestInput = 4_096 }: HeldNftOptions): HeldNft {
  let isUsable = true;
  let held: Held | undefined;
  let queue: Promise<unknown> = Promise.resolve();
  let stopResting = () => {};

  function close(): void {
    stopResting();
    held?.close();
    held = undefined;
  }

  /**
   * The nft that is open. Undefined if `nft` has no command line of its own, which is detected
   * once.
   */
  async function opened(): Promise<Held | undefined> {
    if (held !== undefined && !held.isEnded && held.commands <= mostCommands) return held;
    close();
    // If it cannot be started, the separate program reports why.
    const next = await open(hold).catch(() => undefined);
    if (next === undefined) return undefined;
    held = next;
    // Its first output is about the missing terminal.
    await next.ask('');
    isUsable = !next.isEnded;
    return isUsable ? next : undefined;
  }

  async function transact(input: string): ReturnType<RunProgram> {
    stopResting();
    const asked = await opened();
    if (asked === undefined) return run(program, fromInput, input);
    const result = await asked.ask(oneLine(input));
    stopResting = clock.after(restMs, close);
    return result;
  }

  return {
    run(name, args, input) {
      const isTransaction = name === program && args.join(' ') === fromInput.join(' ');
      if (!isTransaction || !isUsable || input.length > longestInput || !typeable.test(input))
        return run(name, args, input);
      const result = queue.then(() => transact(input));
      queue = result.catch(() => {});
      return result;
    },
    close,
  };
}

const program = 'nft';
const fromInput = ['-f', '-'];
/**
 * A command line drops other characters without an error. It takes a backslash at the end as a line
 * that continues, so its answer would never come.
 */
const typeable = /^[\x20-\x5b\x5d-\x7e\n]*$/;

interface Held {
  readonly commands: number;
  readonly isEnded: boolean;
  /** Runs a line as one transaction. */
  ask(line: string): ReturnType<RunProgram>;
  close(): void;
}

async function open(hold: HoldProgram): Promise<Held> {
  let [commands, isEnded, stderr] = [0, false, ''];
  let onText = () => {};
  const child = await hold(program, ['-i'], {
    onError(text) {
      stderr += text;
      onText();
    },
    onEnd(why) {
      isEnded = true;
      stderr += why;
      onText();
    },
  });
  return {
    get commands() {
      return commands;
    },
    get isEnded() {
      return isEnded;
    },
    ask(line) {
      const mark = `isthmus-${++commands}`;
      return new Promise((resolve) => {
        onText = () => {
          const answer = answerBefore(mark, stderr);
          if (answer === undefined && !isEnded) return;
          onText = () => {};
          const text = answer ?? stderr;
          stderr = '';
          // Some errors begin with `netlink: `.
          const code = answer === undefined ? -1 : /\bError: /.test(text) ? 1 : 0;
          const kept = code === 1 ? reasons(text, line).slice(0, keptErrorLength) : text.slice(-keptErrorLength);
          resolve({ code, stdout: '', stderr: kept });
        };
        // nft reports an unknown line after it has executed everything before it.
        child.write(line === '' ? `${mark}\n` : `${line}\n${mark}\n`);
        onText();
      });
    },
    close: () => child.close(),
  };
}

/** The output before the error about the mark; undefined if it is not complete. */
function answerBefore(mark: string, stderr: string): string | undefined {
  const at = new RegExp(`(?:^|\n)Error: [^\n]*\n${mark}\n *\\^+\n`).exec(stderr)?.index;
  return at === undefined ? undefined : stderr.slice(0, at).trim();
}

/**
 * The errors without most of the line. nft repeats the line for each error, with a mark below, and
 * it may be longer than the text that is kept. The command at the mark is kept.
 */
function reasons(text: string, line: string): string {
  const printed = text.split('\n');
  const isMark = (at: number) => printed[at - 1] === line && /^[ ^]+$/.test(printed[at] ?? '');
  return printed
    .flatMap((one, at) => {
      if (isMark(at)) return [];
      return isMark(at + 1) ? [commandAt(line, printed[at + 1]?.indexOf('^') ?? 0)] : [one];
    })
    .join('\n');
}

/** The command at this place of a line. */
function commandAt(line: string, place: number): string {
  const before = line.slice(0, place).lastIndexOf('; ');
  const after = line.indexOf('; ', place);
  return line.slice(before === -1 ? 0 : before + 2, after === -1 ? undefined : after);
}

/** The lines of a transaction as one line, because `nft -i` runs each line as a transaction. */
function oneLine(input: string): string {
  const lines = input.split('\n').filter((line) => line !== '');
  return lines.reduce((all, line) => `${all}${all.endsWith('{') ? ' ' : '; '}${line}`);
}
