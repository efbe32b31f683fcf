import { setFlagsFromString } from 'node:v8';

/** V8's optimizing compilers, TurboFan and Maglev. */
const optimizingCompilers = ['opt', 'maglev'] as const;

/**
 * Has V8 do without the compilers that optimize. They cost a process 6 MB of Node's own pages and
 * more for their work, and a controller that has few Services ends its work before they gain
 * anything (docs/benchmarks.md). Of use only before the program is loaded: what they have touched
 * stays resident. `ProcessMemory.optimize` takes Maglev back into use.
 */
export function spareCompilers(): void {
  for (const compiler of optimizingCompilers) setFlagsFromString(`--no-${compiler}`);
}
