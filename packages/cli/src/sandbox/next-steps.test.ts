import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parseClusterList } from './cluster-list.ts';
import { bareSteps } from './next-steps.ts';

it('the lines for clusters without Isthmus write kubeconfigs that only their owner can read, and leave the umask of the shell unchanged', () => {
  const folder = mkdtempSync(join(tmpdir(), 'isthmus-steps-'));
  try {
    const lines = bareSteps(parseClusterList('north,east'), '/home/user/sandbox.kubeconfig');
    const script = ['kubectl() { echo "$@"; }', 'umask 022', ...lines, 'umask'].join('\n');
    const said = execFileSync('sh', ['-ec', script], { cwd: folder, encoding: 'utf8' });
    expect(said).toBe('--kubeconfig north.kubeconfig get nodes\n0022\n');
    const modes = ['north', 'east'].map((name) => statSync(join(folder, `${name}.kubeconfig`)).mode & 0o777);
    expect(modes).toEqual([0o600, 0o600]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
