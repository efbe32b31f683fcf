import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findBinaries } from '@isthmus/testkit';
import { expect, it } from 'vitest';

const launcher = fileURLToPath(new URL('../../bin/isthmus.js', import.meta.url));

it('what `isthmus sandbox up` suggests works unchanged, typed with a real kubectl', async () => {
  // A path that a shell would take apart.
  const folder = mkdtempSync(join(tmpdir(), "isthmus up's "));
  const child = spawn(process.execPath, [launcher, 'sandbox', 'up'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
    await expect.poll(() => said).toContain('Press Ctrl-C to stop the clusters.');
    const [, lines = ''] = /Try it, in another terminal:\n\n(.*)\nPress Ctrl-C/s.exec(said) ?? [];
    const env = { HOME: folder, PATH: `${dirname(findBinaries(process.env).kubectl)}:${process.env['PATH'] ?? ''}` };
    const { stdout } = await promisify(execFile)('sh', ['-ec', lines], { env });
    expect(stdout).toContain('serviceexport.multicluster.x-k8s.io/cart condition met\n');
    expect(stdout).toMatch(/\nserviceimport.multicluster.x-k8s.io\/cart +ClusterSetIP +\["10\.103\./);
    expect(stdout).toMatch(/\nservice\/antrea-mc-cart +ClusterIP +10\.103\./);
    // After kubectl has changed the file, it is still ours to take away.
    await promisify(execFile)('sh', ['-ec', `${lines.split('\n')[0]}; kubectl config use-context west`], { env });
    const ended = new Promise((resolve) => child.on('exit', resolve));
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
    await expect(promisify(execFile)('ls', ['isthmus-sandbox.kubeconfig'], { cwd: folder })).rejects.toThrow();
  } finally {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
});
