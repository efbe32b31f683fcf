import type { Probe, ProbeResult, ProbeTarget } from './probe.ts';

interface ProbeOrder {
  readonly number: number;
  readonly target: ProbeTarget;
  readonly timeoutMs: number;
}

interface ProbeAnswer {
  readonly number: number;
  readonly result: ProbeResult;
}

/** Probes that another process sends, from the network that it runs in. */
export interface ProbesElsewhere {
  readonly probe: Probe;
  /** Processes a line of the process's output. */
  answer(line: string): void;
  /** The process has ended: unfinished and later probes are impossible. */
  end(): void;
}

/**
 * `order`: writes a line to the standard input of the process, which runs {@link
 * sendOrderedProbes}.
 */
export function probesElsewhere(order: (line: string) => void): ProbesElsewhere {
  const waiting = new Map<number, (result: ProbeResult) => void>();
  const impossible: ProbeResult = { kind: 'impossible', why: 'the program that probes has ended' };
  let hasEnded = false;
  let last = 0;
  return {
    probe: (target, timeoutMs) =>
      new Promise((resolve) => {
        if (hasEnded) return resolve(impossible);
        const next: ProbeOrder = { number: ++last, target, timeoutMs };
        waiting.set(next.number, resolve);
        order(`${JSON.stringify(next)}\n`);
      }),
    answer(line) {
      const { number, result } = JSON.parse(line) as ProbeAnswer;
      waiting.get(number)?.(result);
      waiting.delete(number);
    },
    end() {
      hasEnded = true;
      for (const resolve of waiting.values()) resolve(impossible);
      waiting.clear();
    },
  };
}

/**
 * The other side: sends a probe for each line of orders, and writes a line with its result.
 * Resolves with the end of the lines.
 */
export async function sendOrderedProbes(
  lines: AsyncIterable<string>,
  probe: Probe,
  write: (line: string) => void,
): Promise<void> {
  for await (const line of lines) {
    const { number, target, timeoutMs } = JSON.parse(line) as ProbeOrder;
    void probe(target, timeoutMs).then((result) =>
      write(`${JSON.stringify({ number, result } satisfies ProbeAnswer)}\n`),
    );
  }
}
