import type { Clock } from '@isthmus/machinery';
import type { SandboxImage } from '@isthmus/sandbox';
import { createSandbox } from '@isthmus/sandbox';
import type { LoggedSandbox } from './fleet.ts';
import { requestLine } from './request-line.ts';

export interface LoggedSandboxOptions {
  readonly name: string;
  readonly clock: Clock;
  readonly image: SandboxImage;
  readonly seed: number;
  readonly serviceCIDR: string;
  readonly maxTokenSeconds?: number | undefined;
}

/** A sandbox that logs its requests. */
export function createLoggedSandbox(options: LoggedSandboxOptions): LoggedSandbox {
  const waiting: (() => string)[] = [];
  const log: string[] = [];
  const sandbox = createSandbox({
    ...options,
    onAnswer: (request, username, status) => waiting.push(() => requestLine(options.name, username, request, status)),
  });
  return {
    ...sandbox,
    // Lines are written when they are read, which most stories never do.
    requestLog() {
      for (const line of waiting.splice(0)) log.push(line());
      return log;
    },
  };
}
