import { setFlagsFromString } from 'node:v8';

/** V8's optimizing compilers, TurboFan and Maglev. */
const optimizingCompilers = ['opt', 'maglev'] as const;

/**
 * Turns off V8's optimizing compilers. They cost a process 6 MB of Node's own pages and more for
 * their work, and a controller with few Services ends its work before they pay off
 * (docs/benchmarks.md). Useful only before the program is loaded: pages that they have touched stay
 * resident. `ProcessMemory.optimize` turns Maglev on again.
 */
export function spareCompilers(): void {
  for (const compiler of optimizingCompilers) setFlagsFromString(`--no-${compiler}`);
}
