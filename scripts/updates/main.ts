/**
 * `npm run updates`: the packages that this repository pins and that have a newer version: npm's of
 * all `package.json`, Debian's of the image, and the modules of the programs that tests run. The
 * sources are asked over the network. Exit code 1: one of them could not be asked.
 */
import { execFile } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { pins } from '../release/image/pins.ts';
import { toolPins } from '../release/image/tool-pins.ts';
import { scriptArguments } from '../script-arguments.ts';
import type { Pinned } from './pinned.ts';
import { goPins, npmPins } from './pinned.ts';
import { updatesOf } from './report.ts';

scriptArguments('updates', {});
const root = new URL('../../', import.meta.url);
const read = (file: string) => readFileSync(new URL(file, root), 'utf8');
const manifests = [
  'package.json',
  ...readdirSync(new URL('packages', root)).map((name) => `packages/${name}/package.json`),
];
const debian: readonly Pinned[] = [...pins.amd64.debian, ...toolPins('amd64')].map(({ name, version }) => ({
  source: 'Debian',
  name,
  version,
  file: 'scripts/release/image/pins.ts',
}));
const all = [
  ...manifests.flatMap((file) => npmPins(file, read(file))),
  ...debian,
  ...goPins('envtest/go.mod', read('envtest/go.mod')),
];
/** Packages that several manifests pin are asked about once. */
const once = [...new Map(all.map((pinned) => [`${pinned.source} ${pinned.name} ${pinned.version}`, pinned])).values()];
const run = promisify(execFile);

const { text, exitCode } = await updatesOf(once, async (program, args, directory = '') => {
  const { stdout } = await run(program, [...args], {
    cwd: fileURLToPath(new URL(directory, root)),
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout;
});
console.log(text);
process.exitCode = exitCode;
