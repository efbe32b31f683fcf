import { isRecord } from '@isthmus/machinery';
import type { ProgramRun } from './run-program.ts';

/** Other tools that are asked about the same versions. An absent one is not asked. */
export interface OtherTools {
  /** The names of the checks of crdify that find errors in a pair of CRDs in files. */
  crdify?: ((old: string, next: string) => Promise<readonly string[]>) | undefined;
  /** How many objects in a folder have API versions that pluto calls deprecated or removed. */
  pluto?: ((folder: string) => Promise<number>) | undefined;
}

export interface ToolPaths {
  readonly crdify: string | undefined;
  readonly pluto: string | undefined;
}

/** The tools at these paths. `run` starts a program. Errors: a tool whose output cannot be read. */
export function otherTools(
  { crdify, pluto }: ToolPaths,
  minor: string,
  run: (program: string, args: readonly string[]) => Promise<ProgramRun>,
): OtherTools {
  const jsonOf = async (program: string, args: readonly string[]): Promise<unknown> => {
    const { exit, stdout, stderr } = await run(program, args);
    if (stdout.trim() === '') {
      if (exit === 0) return {};
      throw new Error(`${program} ended with ${exit ?? 'a signal'}: ${stderr.trim()}`);
    }
    try {
      return JSON.parse(stdout);
    } catch (error) {
      throw new Error(`${program} printed no JSON: ${stdout.slice(0, 200)}`, { cause: error });
    }
  };
  return {
    ...(crdify !== undefined && {
      crdify: async (old, next) =>
        checksWithErrors(await jsonOf(crdify, [`file://${old}`, `file://${next}`, '-o', 'json'])),
    }),
    ...(pluto !== undefined && {
      async pluto(folder) {
        const args = ['detect-files', '-d', folder, '-o', 'json', '--target-versions', `k8s=v${minor}.0`];
        const found = await jsonOf(pluto, args);
        return isRecord(found) && Array.isArray(found['items']) ? found['items'].length : 0;
      },
    }),
  };
}

/** The names in crdify's report that have errors, each once. */
function checksWithErrors(report: unknown): readonly string[] {
  if (Array.isArray(report)) return [...new Set(report.flatMap(checksWithErrors))].toSorted();
  if (!isRecord(report)) return [];
  const { name, errors } = report;
  const own = typeof name === 'string' && Array.isArray(errors) && errors.length > 0 ? [name] : [];
  return [...new Set([...own, ...Object.values(report).flatMap(checksWithErrors)])].toSorted();
}
