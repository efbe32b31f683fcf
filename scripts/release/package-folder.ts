/** The folder that npm makes a package of. */
import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdir, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Notice } from './package-files.ts';
import { noticesText } from './package-files.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);

export async function emptyFolder(folder: string): Promise<string> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  return folder;
}

/** Writes the licence of Isthmus, and those of the packages whose code is in the bundle. */
export async function writeNotices(folder: string, packages: readonly string[]): Promise<readonly Notice[]> {
  const notices = await Promise.all(packages.map((name) => noticeOf(name)));
  await writeFile(join(folder, 'THIRD-PARTY-NOTICES'), noticesText(notices));
  await copyFile(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  return notices;
}

/**
 * Packs a folder into a file in `out`, and gives its name. The same files give the same bytes,
 * whatever the umask of the builder.
 */
export async function packInto(out: string, folder: string): Promise<string> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    // npm packs what the owner and others may do with a file.
    await chmod(path, (await stat(path)).mode & 0o100 ? 0o755 : 0o644);
  }
  const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', out], { cwd: folder });
  return stdout.trim();
}

async function noticeOf(name: string): Promise<Notice> {
  const at = join(root, 'node_modules', name);
  const manifest = JSON.parse(await readFile(join(at, 'package.json'), 'utf8')) as {
    readonly version: string;
    readonly license?: string;
  };
  const file = (await readdir(at)).find((one) => /^(?:licen[cs]e|copying)(?:\.(?:md|txt))?$/i.test(one));
  const text = file === undefined ? undefined : await readFile(join(at, file), 'utf8');
  return { name, version: manifest.version, license: manifest.license ?? '', text };
}
