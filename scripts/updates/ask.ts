import type { Pinned } from './pinned.ts';

/** Runs a program, and returns its standard output. Throws if it fails, with its output. */
export type Run = (program: string, args: readonly string[], directory?: string) => Promise<string>;

/**
 * All versions that the source of a pin has. Errors: throws where the source cannot be asked, or
 * does not know the name.
 */
export async function versionsOf({ source, name, file }: Pinned, run: Run): Promise<readonly string[]> {
  switch (source) {
    case 'npm': {
      const answer = JSON.parse(await run('npm', ['view', name, 'versions', '--json'])) as string | readonly string[];
      return typeof answer === 'string' ? [answer] : answer;
    }
    case 'Go': {
      // In the directory of its go.mod, which may replace modules.
      const answer = await run('go', ['list', '-m', '-versions', '-mod=mod', name], file.replace(/\/?[^/]*$/, ''));
      return answer.trim().split(/\s+/).slice(1);
    }
    case 'Debian':
      return candidateOf(name, await run('apt-cache', ['policy', name]));
  }
}

/** The version that apt would install; the lists of apt are as old as its last update. */
function candidateOf(name: string, policy: string): readonly string[] {
  const found = /^ {2}Candidate: (\S+)$/m.exec(policy)?.[1];
  if (found === undefined || found === '(none)')
    throw new Error(`apt knows no package ${name}. Run 'apt-get update' on Debian 12, and try again.`);
  return [found];
}
