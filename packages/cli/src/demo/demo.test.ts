import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseYaml } from '@isthmus/machinery';
import { checksAllPoints } from '@isthmus/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DemoReport } from './report.ts';
import { demoSteps } from './steps.ts';
import { demoProcess, withoutNpm } from './testing/demo-process.ts';

/** Where the demo runs, and keeps what it keeps. */
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'isthmus-demo-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The Node that the machine has, whichever it is: without what npm puts in front. */
const PATH = (process.env['PATH'] ?? '')
  .split(':')
  .filter((part) => !part.includes('node_modules'))
  .join(':');

describe('npm run demo', () => {
  it.runIf(checksAllPoints())(
    'plays the whole story on the sandbox with the Node of the machine, ends with 0, and leaves nothing',
    async () => {
      const { code, out, err } = await demoProcess(['--json'], { env: { PATH, TMPDIR: folder } }).ended;
      const report = JSON.parse(out) as DemoReport;
      expect({ code, ok: report.ok, apiServer: report.apiServer, error: report.error }).toEqual({
        code: 0,
        ok: true,
        apiServer: 'sandbox',
      });
      expect(report.steps.map(({ name }) => name)).toEqual([
        'start the API servers',
        'install CRDs, RBAC and ServiceAccounts',
        'join the ClusterSet',
        'create Deployment and Service shop/cart in west',
        ...demoSteps.map(({ name }) => name),
      ]);
      const conflict = report.steps.find(({ name }) => name.includes('both exports report the conflict'));
      expect(conflict?.objects).toContainEqual({
        cluster: 'west',
        object: 'Deployment/cart',
        says: expect.stringMatching(/^2\/2 ready {2}10\.3\.1\.\d+,10\.3\.1\.\d+$/),
      });
      expect(err).toBe('');
      expect(readdirSync(folder)).toEqual([]);
    },
  );

  // `story.test.ts` shows what it keeps, and `up-process.test.ts` a process that ends by Ctrl-C.
  it.runIf(checksAllPoints())(
    'with --keep has a kubeconfig as long as it stays, ends with 0 by Ctrl-C, and leaves nothing',
    async () => {
      const run = demoProcess(['--keep'], { command: withoutNpm, cwd: folder, env: {} });
      const said = await run.hasSaid('# west');
      const file = join(folder, 'isthmus-sandbox.kubeconfig');
      expect(said).toContain(
        `\n  kubectl --kubeconfig ${file} --context west get serviceexports,serviceimports -A   # west\n`,
      );
      const [document] = parseYaml(readFileSync(file, 'utf8'), { source: file });
      expect(document?.value).toMatchObject({ contexts: [{ name: 'north' }, { name: 'east' }, { name: 'west' }] });
      run.signal('SIGINT');
      const { code, out } = await run.ended;
      expect(code).toBe(0);
      expect(out).toMatch(/\nok {2}the steps after the start took \d+ ms together\n$/);
      expect(existsSync(file)).toBe(false);
    },
  );

  it('ends by SIGTERM with 143 and the reason, and with 2 and the usage where its arguments are wrong', async () => {
    const run = demoProcess([], { command: withoutNpm, cwd: folder, env: {} });
    await run.hasSaid('start the API servers');
    run.signal('SIGTERM');
    const wrong = demoProcess(['--api-server', 'minikube'], { command: withoutNpm, cwd: folder, env: {} });
    const { code, out, err } = await wrong.ended;
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain('usage: npm run demo -- [--api-server sandbox|real]');
    const ended = await run.ended;
    expect(ended.code).toBe(143);
    expect(ended.out).toMatch(/failed {2}interrupted by SIGTERM\n$/);
  });
});
