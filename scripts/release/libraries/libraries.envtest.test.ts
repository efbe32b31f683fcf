import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RealApiServer } from '@isthmus/testkit';
import { startApiServer } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { olderNode } from '../../../tools/programs.ts';
import { examplesIn, promised } from '../../readme-examples.ts';
import { startStory, typeBlock } from '../../pages/testing/story.ts';
import { libraries } from './library.ts';
import { writeLibraries } from './write-libraries.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly version: string };
const page = startStory(import.meta.url, 'docs/release.md');
let home: string;
/** A project that has installed them. */
let project: string;
/** Where they are built: below the project, as docs/release.md has them. */
let dist: string;
let files: readonly string[];
let server: RealApiServer;

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

function run(program: string, ...args: readonly string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const path = `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`;
    const env = { PATH: path, HOME: home, TMPDIR: home, KUBECONFIG: server.kubeconfigPath };
    const child = execFile(program, args, { cwd: project, env, maxBuffer: 2 ** 26 }, (_, out, err) =>
      resolve({ code: child.exitCode ?? 255, out, err }),
    );
  });
}

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'isthmus-libraries-'));
  project = join(home, 'project');
  mkdirSync(project);
  server = await startApiServer({ name: 'libraries' });
  dist = join(project, 'dist');
  files = await writeLibraries(dist, version);
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'project', type: 'module', private: true }));
  const env = {
    PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
    HOME: home,
    npm_config_offline: 'true',
  };
  await page.run('The packages that are used alone', (block) => {
    for (const file of files) expect(block).toContain(`dist/${file}`);
    return typeBlock(block, { cwd: project, env });
  });
});
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  rmSync(home, { recursive: true, force: true });
});

const nodes = [
  ['the Node of this repository', () => process.execPath],
  ['Node 22', () => olderNode(console.log)],
] as const;

describe('the packages that are used alone', () => {
  it('have the same bytes whenever they are built', async () => {
    expect(await writeLibraries(join(home, 'two'), version)).toEqual(files);
    for (const file of files)
      expect(readFileSync(join(home, 'two', file)).equals(readFileSync(join(dist, file)))).toBe(true);
  });

  it('install without a network, bring nothing else, and contain no TypeScript but declarations', () => {
    const installed = join(project, 'node_modules');
    expect(readdirSync(installed).filter((name) => !name.startsWith('.'))).toEqual(['@isthmus']);
    expect(readdirSync(join(installed, '@isthmus'))).toEqual(['kube', 'sandbox']);
    const names = readdirSync(installed, { recursive: true, encoding: 'utf8' });
    expect(names.filter((name) => name.endsWith('.ts')).toSorted()).toEqual([
      '@isthmus/kube/index.d.ts',
      '@isthmus/sandbox/index.d.ts',
    ]);
  });

  it('contain the licences of the packages whose code they include, and nothing of this machine', () => {
    for (const [folder, included] of [
      ['kube', ['pino', '@prometheus-io/client', 'yaml']],
      ['sandbox', ['@peculiar/x509', 're2js', '@marcbachmann/cel-js']],
    ] as const) {
      const installed = join(project, 'node_modules/@isthmus', folder);
      const notices = readFileSync(join(installed, 'THIRD-PARTY-NOTICES'), 'utf8');
      for (const name of included) expect(notices).toContain(`\n${name} `);
      for (const name of readdirSync(installed)) {
        const text = readFileSync(join(installed, name), 'utf8');
        expect(text).not.toContain(root);
        expect(text).not.toContain(home);
      }
    }
  });

  const examples = libraries.flatMap(({ name, readme }) =>
    examplesIn(readFileSync(join(root, readme), 'utf8')).map((text, at) => ({
      title: `${name}, example ${at + 1}`,
      file: `${name.replace('@isthmus/', '')}-${at + 1}`,
      text,
    })),
  );
  /** More that a user may do with both packages at once. */
  const together = {
    title: 'errors and objects of one package in the other',
    file: 'together',
    text: `
import type { KubernetesObject, Transport } from '@isthmus/kube';
import { ConnectionError, ConfigMap, ApiError, createClient, isConnectionError, isNotFound, systemClock } from '@isthmus/kube';
import { createSandbox, withFaults } from '@isthmus/sandbox';
const clock = systemClock();
const sandbox = createSandbox({ name: 'test', clock });
const transport: Transport = sandbox.transport({ kind: 'user', user: { username: 'a', groups: ['system:masters'] } });
const faulty = withFaults(transport, clock);
const client = createClient({ transport: faulty, clock });
const ref = { namespace: 'default', name: 'a' };
const failure = (promise: Promise<unknown>): Promise<unknown> => promise.catch((error: unknown) => error);
const missing = await failure(client.get(ConfigMap, ref));
console.log(isNotFound(missing), missing instanceof ApiError); // true true
faulty.cut('refuse');
const cut = await failure(client.get(ConfigMap, ref));
console.log(isConnectionError(cut), cut instanceof ConnectionError && cut.kind); // true refused
faulty.heal();
const stored: KubernetesObject = await client.create(ConfigMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata: ref });
console.log(stored.metadata.uid === (await client.get(ConfigMap, ref)).metadata.uid); // true
client.close();
`,
  };
  const programs = [...examples, together];

  it.each(nodes)('run the examples of their READMEs on %s', async (_, node) => {
    for (const { file, title, text } of programs) {
      writeFileSync(join(project, `${file}.mjs`), stripTypeScriptTypes(text));
      const { code, out, err } = await run(node(), `${file}.mjs`);
      expect({ title, code, err, lines: out.trimEnd().split('\n') }).toEqual({
        title,
        code: 0,
        err: '',
        lines: promised(text),
      });
      expect(promised(text)).not.toEqual([]);
    }
  });

  it('have declarations that a strict compiler accepts, with those of Node only', async () => {
    for (const name of ['@types/node', 'undici-types'])
      cpSync(join(root, 'node_modules', name), join(project, 'node_modules', name), { recursive: true });
    for (const { file, text } of programs) writeFileSync(join(project, `${file}.mts`), text);
    const compilerOptions = {
      strict: true,
      noEmit: true,
      target: 'ES2023',
      module: 'NodeNext',
      skipLibCheck: false,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      noPropertyAccessFromIndexSignature: true,
      types: ['node'],
    };
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.mts'] }));
    const tsc = join(root, 'node_modules/.bin/tsc');
    expect(await run(tsc, '--project', project)).toEqual({ code: 0, out: '', err: '' });
    writeFileSync(join(project, 'wrong.mts'), "import { createClient } from '@isthmus/kube';\ncreateClient({});\n");
    expect((await run(tsc, '--project', project)).out).toContain('wrong.mts(2,14): error TS2739');
  });
});
