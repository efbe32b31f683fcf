import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findBinaries, missingForNodes, processesOf } from '@isthmus/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startStory, typeBlock } from '../../../../scripts/pages/testing/story.ts';
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

/** Types a block in the checkout. */
const typeIn = (block: string, env: Readonly<Record<string, string>> = {}) => {
  const whole = { ...process.env, TMPDIR: temporary, ...env } as Readonly<Record<string, string>>;
  return typeBlock(block, { cwd: fileURLToPath(new URL('../../../..', import.meta.url)), env: whole });
};

const demo = (args: readonly string[], env: Readonly<Record<string, string>> = {}, command = typed) =>
  demoProcess(args, { command, env: { TMPDIR: temporary, ...env } });

describe.skipIf(missingForNodes(process.env).length > 0)('npm run demo -- --network', () => {
  const guide = startStory(import.meta.url, 'docs/guides/sandbox-network.md');

  it('plays the story as the guide has it, and leaves nothing', async () => {
    const out = await guide.run('What is real, and what is not', (block) => typeIn(block));
    for (const { name } of networkStory.steps) expect(out).toContain(`\n${name} ... ok`);
    expect(left()).toEqual([]);
  });

  it('shows Pods that call each other across clusters, ends with 0, and leaves nothing', async () => {
    const { code, out } = await demo(['--network', '--json']).ended;
    const report = JSON.parse(out) as DemoReport;
    expect(report.error).toBeUndefined();
    expect({ code, ok: report.ok, network: report.network }).toEqual({ code: 0, ok: true, network: true });
    const story = report.steps.filter(({ phase }) => phase === 'story');
    expect(story.map(({ name }) => name)).toEqual(networkStory.steps.map(({ name }) => name));
    const calls = story.map(({ objects }) => objects.filter(({ object }) => object.startsWith('curl ')));
    expect(calls.map(({ length }) => length)).toEqual([1, 2, 4, 1, 2, 0]);
    // Until the agents know the Pods behind the Service, kube-proxy of west leads the call, and the
    // Pods see an address of a Node.
    for (const { says } of [...(calls[0] ?? []), ...(calls[1] ?? []), ...(calls[4] ?? [])])
      expect(says).toMatch(/^west\/shop\/cart-\S+, client \S+, GET \/$/);
    for (const { says } of calls[2]?.filter(({ cluster }) => cluster === 'east') ?? [])
      expect(says).toMatch(/^west\/shop\/cart-\S+, client 10\.2\.\d+\.[1-9]\d*, GET \/$/);
    expect(calls[3]?.[0]?.says).toContain('curl: (7)');
    expect(left()).toEqual([]);
  });
});

describe('"See it work" of README.md', () => {
  const readme = startStory(import.meta.url, 'README.md');
  const heading = 'See it work';

  it('begins with commands that need nothing but npm; npm ci has been run, and npm test is where this test belongs', async () => {
    const bin = join(temporary, 'bin');
    mkdirSync(bin);
    const npm = `#!/bin/sh\necho "npm $*"\ncase $1 in ci|test) ;; *) PATH=\${PATH#*:} exec npm --silent "$@" ;; esac\n`;
    writeFileSync(join(bin, 'npm'), npm, { mode: 0o755 });
    const out = await readme.run(heading, (block) => typeIn(block, { PATH: `${bin}:${process.env['PATH'] ?? ''}` }));
    expect(out.match(/^npm .*/gm)).toEqual(['npm ci', 'npm run demo', 'npm ci', 'npm test']);
    for (const { name } of demoSteps) expect(out).toContain(`\n${name} ... ok`);
  });

  it('plays the whole story on real API servers, and leaves nothing', async () => {
    const out = await readme.run(heading, (block) => typeIn(block), 3);
    for (const name of [...startSteps, ...demoSteps.map((step) => step.name)])
      expect(out).toContain(`\n${name} ... ok`);
    expect(out).not.toContain(escape);
    const [, conflict = ''] = out.split('both exports report the conflict');
    expect(conflict.split(' ... ok')[1]).toMatch(
      /\n +east +ServiceExport\/cart +Valid=True Valid {2}Ready=True Exported {2}Conflict=True PortConflict\n/,
    );
    expect(left()).toEqual([]);
  });

  it('plans the upgrade of an example fleet as docs/upgrade shows it', async () => {
    const page = readFileSync(new URL('../../../../docs/upgrade/examples/antrea-2.7/plan.md', import.meta.url), 'utf8');
    const plan = await readme.run(heading, (block) => typeIn(block), 5);
    expect(plan).toContain('**Ready: ');
    expect(page.slice(page.indexOf('**Ready: ')).trimEnd()).toBe(plan.trimEnd());
  });
});

describe('npm run demo -- --api-server real', () => {
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
