import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { startSandboxProcess } from '../testing/sandbox-process.ts';

it('what `isthmus sandbox up` suggests works unchanged, typed with a real kubectl', async () => {
  // A path that a shell would take apart.
  const folder = mkdtempSync(join(tmpdir(), "isthmus up's "));
  try {
    using sandbox = await startSandboxProcess(folder);
    const [, lines = ''] = /Try it, in another terminal:\n\n(.*)\nPress Ctrl-C/s.exec(sandbox.said) ?? [];
    const { HOME, PATH } = sandbox.env;
    const env = { HOME, PATH };
    const { stdout } = await promisify(execFile)('sh', ['-ec', lines], { env });
    expect(stdout).toContain('serviceexport.multicluster.x-k8s.io/cart condition met\n');
    expect(stdout).toMatch(/\nserviceimport.multicluster.x-k8s.io\/cart +ClusterSetIP +\["10\.103\./);
    expect(stdout).toMatch(/\nservice\/antrea-mc-cart +ClusterIP +10\.103\./);
    // After kubectl has changed the file, it is still ours to take away.
    await promisify(execFile)('sh', ['-ec', `${lines.split('\n')[0]}; kubectl config use-context west`], { env });
    expect(await sandbox.stop()).toBe(0);
    await expect(promisify(execFile)('ls', ['isthmus-sandbox.kubeconfig'], { cwd: folder })).rejects.toThrow();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
