/**
 * `npm run build [-- --out DIR]`: the npm package of this version as `DIR/isthmus-<version>.tgz`, and unpacked in `DIR/package`. Default `dist`. What is in
 * `DIR` already is replaced. The same sources and the same npm give the same bytes.
 */
import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { bundleInto } from './bundle.ts';
import type { Notice } from './package-files.ts';
import { noticesText, packageManifest, packageReadme } from './package-files.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { values } = parseArgs({ options: { out: { type: 'string', default: 'dist' } } });
const out = resolve(values.out);
const folder = join(out, 'package');

const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { readonly version: string };
await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });
const { entry, packages } = await bundleInto(folder);
const program = join(folder, entry);
await writeFile(program, `#!/usr/bin/env node\n${await readFile(program, 'utf8')}`);
await chmod(program, 0o755);
await writeFile(join(folder, 'package.json'), packageManifest({ version, entry }));
await writeFile(join(folder, 'README.md'), packageReadme(version));
await writeFile(
  join(folder, 'THIRD-PARTY-NOTICES'),
  noticesText(await Promise.all(packages.map((name) => noticeOf(name)))),
);
await copyFile(join(root, 'LICENSE'), join(folder, 'LICENSE'));
const { stdout } = await promisify(execFile)('npm', ['pack', '--silent', '--pack-destination', out], { cwd: folder });
console.log(join(out, stdout.trim()));

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
