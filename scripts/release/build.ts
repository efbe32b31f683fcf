/**
 * `npm run build [-- --out DIR] [--package-only]`: the npm package of this version as `DIR/isthmus-<version>.tgz`, and unpacked in `DIR/package`; the image
 * of the controllers as an OCI layout for two architectures, with bills of materials, and the context of its Dockerfile in `DIR/image`; and the checksums.
 * Default `dist`. Files of these names in `DIR` are replaced. The same sources, Node and npm give the same bytes. The image needs tools of Debian, to
 * take packages of Debian; `--package-only` leaves it out.
 */
import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { bundleInto } from './bundle.ts';
import { checksumsOf, writeImage } from './image/write-image.ts';
import type { Notice } from './package-files.ts';
import { noticesText, packageManifest, packageReadme } from './package-files.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { values } = parseArgs({
  options: { out: { type: 'string', default: 'dist' }, 'package-only': { type: 'boolean', default: false } },
});
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
const notices = await Promise.all(packages.map((name) => noticeOf(name)));
await writeFile(join(folder, 'THIRD-PARTY-NOTICES'), noticesText(notices));
await copyFile(join(root, 'LICENSE'), join(folder, 'LICENSE'));
const { stdout } = await promisify(execFile)('npm', ['pack', '--silent', '--pack-destination', out], { cwd: folder });
const tarball = stdout.trim();
const written = [tarball];
console.log(join(out, tarball));
if (!values['package-only']) {
  const names = (await readdir(folder)).toSorted();
  const { digest, files } = await writeImage(out, {
    version,
    entry,
    notices,
    files: await Promise.all(names.map(async (name) => ({ name, data: await readFile(join(folder, name)) }))),
    dockerfile: await readFile(join(root, 'deploy/image/Dockerfile'), 'utf8'),
    cache: join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'isthmus/image'),
  });
  written.push(...files);
  for (const path of files) console.log(join(out, path));
  console.log(`image ${digest}`);
}
await writeFile(join(out, 'SHA256SUMS'), await checksumsOf(out, written));

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
