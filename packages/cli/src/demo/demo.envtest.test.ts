import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { findBinaries, missingForNodes, processesOf } from '@isthmus/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { networkStory } from './network-steps.ts';
import type { DemoReport } from './report.ts';
import { demoSteps } from './steps.ts';
import { demoProcess, typed, withoutNpm } from './testing/demo-process.ts';

const escape = String.fromCodePoint(27);
const startSteps = [
  'start the API servers',
  'install CRDs, RBAC and ServiceAccounts',
  'start the controllers',
  'join the ClusterSet',
  'create Deployment and Service shop/cart in west',
];

/** Where the demo keeps all that it keeps: a temporary directory of its own. */
let temporary: string;
beforeEach(() => {
  temporary = mkdtempSync(join(tmpdir(), 'isthmus-demo-'));
});
afterEach(() => rmSync(temporary, { recursive: true, force: true }));

/** What is there of the demo: directories of clusters, and processes that name one. */
const left = () => [
  ...readdirSync(temporary).filter((name) => name.startsWith('isthmus-')),
  ...processesOf(temporary).map(({ commandLine }) => commandLine),
];

const demo = (args: readonly string[], env: Readonly<Record<string, string>> = {}, command = typed) =>
  demoProcess(args, { command, env: { TMPDIR: temporary, ...env } });

describe.skipIf(missingForNodes(process.env).length > 0)('npm run demo -- --network', () => {
  it('shows Pods that call each other across clusters, ends with 0, and leaves nothing', async () => {
    const { code, out } = await demo(['--network', '--json']).ended;
    const report = JSON.parse(out) as DemoReport;
    expect(report.error).toBeUndefined();
    expect({ code, ok: report.ok, network: report.network }).toEqual({ code: 0, ok: true, network: true });
    const story = report.steps.filter(({ phase }) => phase === 'story');
    expect(story.map(({ name }) => name)).toEqual(networkStory.steps.map(({ name }) => name));
    const calls = story.map(({ objects }) => objects.filter(({ object }) => object.startsWith('curl ')));
    expect(calls.map(({ length }) => length)).toEqual([1, 2, 4, 1, 2, 0]);
    for (const { says } of [...(calls[0] ?? []), ...(calls[1] ?? []), ...(calls[4] ?? [])])
      expect(says).toMatch(/^west\/shop\/cart-\S+, client 10\.2\.\d+\.\d+, GET \/$/);
    expect(calls[3]?.[0]?.says).toContain('curl: (7)');
    expect(left()).toEqual([]);
  });
});

describe('npm run demo -- --api-server real', () => {
  it('plays the whole story in one JSON document, ends with 0, and leaves nothing', async () => {
    const { code, out } = await demo(['--api-server', 'real', '--json']).ended;
    const report = JSON.parse(out) as DemoReport;
    expect(report.error).toBeUndefined();
    expect({ code, ok: report.ok, apiServer: report.apiServer }).toEqual({ code: 0, ok: true, apiServer: 'real' });
    expect(report.steps.map(({ name }) => name)).toEqual([...startSteps, ...demoSteps.map(({ name }) => name)]);
    expect(out).not.toContain(escape);
    const conflict = report.steps.find(({ name }) => name.includes('both exports report the conflict'));
    expect(conflict?.objects).toContainEqual({
      cluster: 'east',
      object: 'ServiceExport/cart',
      says: 'Valid=True Valid  Ready=True Exported  Conflict=True PortConflict',
    });
    expect(left()).toEqual([]);
  });

  it('ends with 1 and one JSON document with the reason where the programs are missing', async () => {
    const assets = join(temporary, 'assets');
    mkdirSync(assets);
    const { code, out } = await demo(['--api-server', 'real', '--json'], { KUBEBUILDER_ASSETS: assets }).ended;
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      ok: false,
      steps: [],
      error: expect.stringContaining(`not there: ${join(assets, 'etcd')}`),
    });
    expect(left()).toEqual([]);
  });

  it('ends with 2 and the usage where its arguments are wrong', async () => {
    const { code, out, err } = await demo(['--api-server', 'minikube']).ended;
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain('usage: npm run demo -- [--api-server sandbox|real]');
  });

  it('with --keep shows how to point kubectl at each cluster, stays until Ctrl-C, ends with 0, and leaves nothing', async () => {
    const run = demo(['--api-server', 'real', '--keep'], {}, withoutNpm);
    const said = await run.hasSaid('# west');
    const commands = said.split('\n').filter((line) => line.startsWith('  kubectl '));
    expect(commands.map((line) => line.split('# ')[1])).toEqual(['north', 'east', 'west']);
    const path = `${dirname(findBinaries(process.env).kubectl)}:${process.env['PATH'] ?? ''}`;
    const answers = await Promise.all(
      commands.map((line) => promisify(execFile)('sh', ['-c', line], { env: { PATH: path, HOME: temporary } })),
    );
    expect(answers.map(({ stdout }) => /\S*cart\b/.exec(stdout)?.[0])).toEqual([
      'resourceexport.multicluster.crd.antrea.io/east-shop-cart',
      'serviceexport.multicluster.x-k8s.io/cart',
      'serviceexport.multicluster.x-k8s.io/cart',
    ]);
    run.signal('SIGINT');
    const { code, out } = await run.ended;
    expect(code).toBe(0);
    expect(out).toMatch(/\nok {2}the steps after the start took \d+ ms together\n$/);
    expect(left()).toEqual([]);
  });

  it.each([
    ['SIGTERM', 143, 'the API servers start', '/kube-apiserver '],
    ['SIGINT', 130, 'the controllers run', ' controller member '],
  ] as const)('ends by %s with %i while %s: one JSON document with the reason, and nothing left', async (...given) => {
    const [signal, code, , program] = given;
    const run = demo(['--api-server', 'real', '--json'], {}, withoutNpm);
    const runs = () => processesOf(temporary).some(({ commandLine }) => commandLine.includes(program));
    await expect.poll(runs).toBe(true);
    run.signal(signal);
    const ended = await run.ended;
    expect(JSON.parse(ended.out)).toMatchObject({ ok: false, error: `interrupted by ${signal}` });
    expect(ended.code).toBe(code);
    expect(left()).toEqual([]);
  });
});
