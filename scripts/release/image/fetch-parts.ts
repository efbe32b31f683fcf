import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, readdir, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { errorMessage } from '@isthmus/machinery';
import type { Architecture, DebianPin, NodePin } from './pins.ts';
import { pins } from './pins.ts';
import { laterNftPins } from './later-nft-pins.ts';
import { toolPins } from './tool-pins.ts';
import type { OpenedPackage, RootParts } from './root-files.ts';
import { readTar } from './tar.ts';

const run = promisify(execFile);

/** Where downloads go, and where each is reported. */
interface Downloads {
  readonly cache: string;
  readonly say: (line: string) => void;
}

/**
 * The pinned parts of the images of an architecture. They are downloaded once into `cache`, by npm
 * and by apt from the archives that it is configured for, and compared with their pins each time.
 * Errors: throws where a tool is missing, a part cannot be had, or has another hash; each names the
 * part and the next step.
 */
export async function fetchParts(architecture: Architecture, { cache, say }: Downloads): Promise<RootParts> {
  const { node, debian } = pins[architecture];
  await mkdir(cache, { recursive: true });
  const archive = await pinned({ cache, say }, `${node.name}-${node.version}.tgz`, sha512Of(node), (folder) =>
    packed(node, folder),
  );
  const fromArchive = async (path: string) => output('tar', ['-xzOf', archive, path]);
  return {
    node: await fromArchive('package/bin/node'),
    nodeLicence: await fromArchive('package/LICENSE'),
    packages: await openAll(debian, { cache, say }),
    tools: await openAll(toolPins(architecture), { cache, say }),
    laterNft: await openAll(laterNftPins(architecture), { cache, say }),
  };
}

async function openAll(debian: readonly DebianPin[], downloads: Downloads): Promise<readonly OpenedPackage[]> {
  const opened: OpenedPackage[] = [];
  for (const pin of debian)
    opened.push(
      await open(pin, await pinned(downloads, basename(pin.path), pin.sha256, (folder) => downloaded(pin, folder))),
    );
  return opened;
}

/** The hash of a pin in the form of lockfiles, in hexadecimal. */
export const sha512Of = ({ integrity }: NodePin): string =>
  Buffer.from(integrity.replace(/^sha512-/, ''), 'base64').toString('hex');

/**
 * The path of a file with this hash. What is not there yet is put into a folder of its own by
 * `download`, and appears whole or not at all.
 */
async function pinned(
  { cache, say }: Downloads,
  name: string,
  hash: string,
  download: (folder: string) => Promise<void>,
): Promise<string> {
  const path = join(cache, name);
  if ((await hashOf(path, hash)) === hash) return path;
  say(`download ${name}`);
  const folder = await mkdtemp(join(cache, 'download-'));
  try {
    await download(folder);
    const [file = name] = await readdir(folder);
    const found = await hashOf(join(folder, file), hash);
    if (found !== hash)
      throw new Error(`cannot use ${name}: its hash is ${found ?? 'missing'}, and pins.ts has ${hash}`);
    await rename(join(folder, file), path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return path;
}

/** In the algorithm of `like`. Undefined: there is no such file. */
async function hashOf(path: string, like: string): Promise<string | undefined> {
  const bytes = await readFile(path).catch(() => undefined);
  return (
    bytes &&
    createHash(like.length === 128 ? 'sha512' : 'sha256')
      .update(bytes)
      .digest('hex')
  );
}

async function packed({ name, version }: NodePin, folder: string): Promise<void> {
  await tool('npm', ['pack', '--silent', `${name}@${version}`, '--pack-destination', folder]);
}

async function downloaded(pin: DebianPin, folder: string): Promise<void> {
  const listed = await tool('apt-get', [
    'indextargets',
    '--no-release-info',
    '--format',
    '$(REPO_URI)',
    'Created-By: Packages',
  ]);
  const archives = [...new Set(listed.split('\n').filter((one) => one !== ''))];
  const failures: string[] = [];
  for (const archive of archives) {
    try {
      await tool('/usr/lib/apt/apt-helper', [
        'download-file',
        `${archive}${pin.path}`,
        join(folder, 'package.deb'),
        `SHA256:${pin.sha256}`,
      ]);
      return;
    } catch (error) {
      failures.push(errorMessage(error));
    }
  }
  throw new Error(
    `cannot download ${pin.name} ${pin.version} of Debian ${pin.release}: ${failures.join('; ') || 'apt has no archive configured'}. ` +
      'Archives drop a version soon after a newer one: see "Renew the parts of the image" in docs/release.md.',
  );
}

async function open({ name }: DebianPin, path: string): Promise<OpenedPackage> {
  return {
    name,
    control: await tool('dpkg-deb', ['--field', path]),
    files: readTar(await output('dpkg-deb', ['--fsys-tarfile', path])),
  };
}

const tool = async (program: string, args: readonly string[]) => (await output(program, args)).toString();

async function output(program: string, args: readonly string[]): Promise<Buffer> {
  try {
    return (await run(program, args, { encoding: 'buffer', maxBuffer: 2 ** 29 })).stdout;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
      throw new Error(
        `cannot build the image: ${program} is not in PATH. Build on Debian or Ubuntu, or only the npm package: npm run build -- --package-only`,
        { cause: error },
      );
    throw error;
  }
}
