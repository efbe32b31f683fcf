import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { RealApiServer } from '@isthmus/testkit';
import { findBinaries, missingForNodes, startApiServer } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSandboxProcess } from '../../packages/cli/src/testing/sandbox-process.ts';
import { olderNode } from '../../tools/programs.ts';
import { startStory, typeBlock } from '../pages/testing/story.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
let home: string;
let tarball: string;

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

interface RunOptions {
  readonly path?: string;
  /** It is asked to end once it has written this to standard error. */
  readonly until?: string;
}

function run(program: string, args: readonly string[], { path, until }: RunOptions = {}): Promise<Ended> {
  return new Promise((resolve) => {
    const env = { PATH: path ?? process.env['PATH'] ?? '', HOME: home, TMPDIR: home };
    const child = execFile(program, args, { cwd: home, env, maxBuffer: 2 ** 26 }, (_, out, err) =>
      resolve({ code: child.exitCode ?? 255, out, err }),
    );
    let said = '';
    child.stderr?.on('data', (text: string) => {
      said += text;
      // A second signal would end it at once.
      if (until !== undefined && !child.killed && said.includes(until)) child.kill('SIGTERM');
    });
  });
}

async function built(name: string): Promise<string> {
  const { code, out, err } = await run(process.execPath, [
    join(root, 'scripts/release/build.ts'),
    '--package-only',
    '--out',
    join(home, name),
  ]);
  expect({ code, err: code === 0 ? '' : err }).toEqual({ code: 0, err: '' });
  // Beside it are the packages that are used alone.
  const program = out.split('\n').find((line) => /\/isthmus-\d[^/]*\.tgz$/.test(line));
  if (program === undefined) throw new Error(`no package of the program is named in: ${out}`);
  return program;
}

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'isthmus-package-'));
  tarball = await built('dist');
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

describe('the npm package', () => {
  it('has the same bytes whenever it is built', async () => {
    expect(readFileSync(await built('two')).equals(readFileSync(tarball))).toBe(true);
  });

  it('is not built with a key that cannot sign, and nothing of the key is shown', async () => {
    const key = join(home, 'no-key.pem');
    writeFileSync(key, 'a secret text');
    const args = [join(root, 'scripts/release/build.ts'), '--package-only', '--out', join(home, 'none'), '--key', key];
    const { code, out, err } = await run(process.execPath, args);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain(`cannot sign with ${key}: not PEM; it must contain a private key in PKCS#8`);
    expect(err).not.toContain('a secret text');
    expect(existsSync(join(home, 'none'))).toBe(false);
  });

  it('has the licences of all that is in it, and nothing of this machine', async () => {
    const folder = join(dirname(tarball), 'package');
    const notices = readFileSync(join(folder, 'THIRD-PARTY-NOTICES'), 'utf8');
    for (const name of ['commander', 'js-yaml', 're2js', 'pino', '@peculiar/x509'])
      expect(notices).toContain(`\n${name} `);
    for (const name of readdirSync(folder)) expect(readFileSync(join(folder, name), 'utf8')).not.toContain(root);
  });

  it.each(['--version', 'help', 'sandbox --help', 'upgrade check crd --help'])(
    'starts for %s without what only other commands need: neither TLS nor cryptography, and at most 150 kB of its own',
    async (line) => {
      const args = line.split(' ');
      const loaded = join(home, 'loaded.json');
      const recorder = join(home, 'recorder.mjs');
      writeFileSync(
        recorder,
        `import { writeFileSync } from 'node:fs';
        import { registerHooks } from 'node:module';
        const files = [];
        registerHooks({ load(url, context, next) { if (url.startsWith('file:')) files.push(url); return next(url, context); } });
        process.on('exit', () => writeFileSync(${JSON.stringify(loaded)}, JSON.stringify({ files, own: process.moduleLoadList })));`,
      );
      const program = join(dirname(tarball), 'package', 'isthmus.mjs');
      const { code } = await run(process.execPath, ['--import', recorder, program, ...args]);
      expect(code).toBe(0);
      const { files, own } = JSON.parse(readFileSync(loaded, 'utf8')) as Readonly<Record<'files' | 'own', string[]>>;
      expect(files).toContain(pathToFileURL(program).href);
      const bytes = files.map((url) => readFileSync(fileURLToPath(url)).length).reduce((sum, one) => sum + one, 0);
      expect(bytes).toBeLessThan(150_000);
      for (const name of ['https', 'tls', 'crypto', 'http']) expect(own).not.toContain(`NativeModule ${name}`);
    },
  );

  // It runs itself in the networks of Nodes and Pods.
  it.skipIf(missingForNodes(process.env).length > 0)('starts a sandbox whose Pods call each other', async () => {
    const program = join(dirname(tarball), 'package', 'isthmus.mjs');
    using sandbox = await startSandboxProcess(home, ['--network'], program);
    const path = sandbox.env['PATH'] ?? '';
    const kubectl = async (context: string, line: string) => {
      const config = ['--kubeconfig', join(home, 'isthmus-sandbox.kubeconfig'), '--context', context];
      const { code, out, err } = await run('kubectl', [...config, ...line.split(' ')], { path });
      expect({ code, err: code === 0 ? '' : err }).toEqual({ code: 0, err: '' });
      return out;
    };
    await kubectl('west', 'run server --image=server --port=8080');
    await kubectl('east', 'run client --image=client --command -- sleep infinity');
    await kubectl('west', 'wait pod/server --for=condition=Ready --timeout=300s');
    await kubectl('east', 'wait pod/client --for=condition=Ready --timeout=300s');
    const address = await kubectl('west', 'get pod/server -o jsonpath={.status.podIP}');
    expect(await kubectl('east', `exec client -- curl -sS -m 60 http://${address}:8080/`)).toMatch(
      /^west\/default\/server\n/,
    );
    expect(await sandbox.stop()).toBe(0);
  });

  it('reports which Node it needs where an older one runs it, and does nothing', async () => {
    const older = join(home, 'older.mjs');
    writeFileSync(older, `Object.defineProperty(process, 'version', { value: 'v20.20.2' });`);
    const program = join(dirname(tarball), 'package', 'isthmus.mjs');
    const { code, out, err } = await run(process.execPath, ['--import', older, program, 'version']);
    expect({ code, out, err }).toEqual({
      code: 1,
      out: '',
      err: expect.stringContaining('isthmus needs Node 22.12 or later, and this is v20.20.2.'),
    });
  });

  describe('installed from its file as in docs/release.md, without a network', () => {
    const page = startStory(import.meta.url, 'docs/release.md');
    let prefix: string;
    let server: RealApiServer;
    beforeAll(async () => {
      prefix = join(home, 'prefix');
      const path = [dirname(process.execPath), join(prefix, 'bin'), dirname(findBinaries(process.env).kubectl)];
      const env = {
        PATH: [...path, process.env['PATH'] ?? ''].join(':'),
        HOME: home,
        npm_config_offline: 'true',
        npm_config_prefix: prefix,
      };
      const said = await page.run('The package', (block) => {
        expect(block).toContain(basename(tarball));
        return typeBlock(block, { cwd: home, env });
      });
      expect(said).toMatch(/^(isthmus \S+ \(wire \d+\)\n)\1$/m);
      server = await startApiServer({ name: 'package' });
    });
    afterAll(() => server?.[Symbol.asyncDispose]());

    it.each([
      ['the Node of this repository', () => process.execPath],
      ['Node 22', () => olderNode(console.log)],
    ])('runs on %s, as a command and as a plugin of kubectl, against clusters', async (_, node) => {
      const path = [
        dirname(node()),
        join(prefix, 'bin'),
        dirname(findBinaries(process.env).kubectl),
        '/usr/bin',
        '/bin',
      ].join(':');
      expect((await run('isthmus', ['version'], { path })).out).toMatch(
        /^isthmus \d+\.\d+\.\d+(?:-rc\.\d+)? \(wire \d+\)\n$/,
      );
      expect(await run('kubectl', ['isthmus', 'version'], { path })).toEqual(
        await run('isthmus', ['version'], { path }),
      );
      const wrong = await run('isthmus', ['upgrade', 'plan', '--no-such-flag'], { path });
      expect({ code: wrong.code, err: wrong.err }).toEqual({ code: 1, err: expect.stringContaining('--no-such-flag') });
      // A snapshot speaks TLS, reads definitions and prints YAML.
      const config = ['--kubeconfig', server.kubeconfigPath];
      const snapshot = await run('isthmus', ['upgrade', 'snapshot', ...config, '-o', join(home, 'fleet.yaml')], {
        path,
      });
      expect({ code: snapshot.code, err: snapshot.code === 0 ? '' : snapshot.err }).toEqual({ code: 0, err: '' });
      expect(readFileSync(join(home, 'fleet.yaml'), 'utf8')).toContain('kind: FleetSnapshot');
      rmSync(join(home, 'fleet.yaml'));
      // A controller without its definitions waits for them, and ends in good order.
      const missing = 'clustersets.multicluster.crd.antrea.io';
      const controller = ['controller', 'member', ...config, '--leader-elect=false'];
      const ended = await run('isthmus', controller, { path, until: missing });
      expect({ code: ended.code, err: ended.err }).toEqual({ code: 0, err: expect.stringContaining(missing) });
    });
  });
});
