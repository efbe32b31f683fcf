/**
 * `npm run set-version -- 1.2.0-rc.1`: sets the version of the repository in every `package.json`
 * and in the lock file, which name each other by it, and in the pages that print the names of files
 * and images of a release. Commands, images and manifests take it from different ones of them. Exit
 * code 2: the argument is not a version.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { scriptArguments } from './script-arguments.ts';

interface Manifest {
  readonly name?: string;
  readonly version?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

interface Lock extends Manifest {
  readonly packages: Readonly<Record<string, Manifest>>;
}

/** Whether a text is the version of a release or of a release candidate (docs/versioning.md). */
export function isVersion(text: string): boolean {
  return /^(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*)){2}(?:-rc\.[1-9]\d*)?$/.test(text);
}

/**
 * A `package.json` of the repository, with this version and the packages of the repository in it.
 */
export function manifestWith<M extends Manifest>(version: string, manifest: M): M {
  const own = (dependencies: Readonly<Record<string, string>>) =>
    Object.fromEntries(
      Object.entries(dependencies).map(([name, range]) => [name, name.startsWith('@isthmus/') ? version : range]),
    );
  const { dependencies, devDependencies } = manifest;
  // In the order of the file.
  return {
    ...manifest,
    version,
    ...(dependencies !== undefined && { dependencies: own(dependencies) }),
    ...(devDependencies !== undefined && { devDependencies: own(devDependencies) }),
  };
}

/**
 * The lock file, with this version for the packages of the repository; those of others stay as they
 * are.
 */
export function lockWith(version: string, lock: Lock): Lock {
  const isOwn = (path: string) => path === '' || path.startsWith('packages/');
  const packages = Object.entries(lock.packages).map(
    ([path, one]) => [path, isOwn(path) ? manifestWith(version, one) : one] as const,
  );
  return { ...lock, version, packages: Object.fromEntries(packages) };
}

/** The pages with names of files and images of this version. */
export const versionPages = ['README.md', 'docs/kustomize.md', 'docs/release.md', 'docs/testbed.md'] as const;

/**
 * A page with the names of files and images of a release in this version. Its text about earlier
 * versions stays.
 */
export function pageWith(version: string, text: string): string {
  const name =
    /(\bdist\/isthmus(?:-[a-z]+)*-|\bisthmus\/(?:controller|agent):|\.oci\.tar:|\bnewTag: )\d+\.\d+\.\d+(?:-rc\.\d+)?/g;
  return text.replaceAll(name, `$1${version}`);
}

const root = new URL('../', import.meta.url);

/**
 * The files with the version, from the root of the repository: every `package.json`, and the lock
 * file last.
 */
export function versionFiles(): readonly string[] {
  const folders = readdirSync(new URL('packages', root)).toSorted();
  return ['package.json', ...folders.map((name) => `packages/${name}/package.json`), 'package-lock.json'];
}

function main(version: string | undefined): 0 | 2 {
  if (version === undefined || !isVersion(version)) {
    const given = version === undefined ? 'no version was given' : `${JSON.stringify(version)} is not a version`;
    console.error(`set-version: ${given}. It must have the form 1.2.3 or, for a release candidate, 1.2.3-rc.1.`);
    return 2;
  }
  for (const path of versionFiles()) {
    const file = new URL(path, root);
    const found = JSON.parse(readFileSync(file, 'utf8')) as Lock;
    const changed = path === 'package-lock.json' ? lockWith(version, found) : manifestWith(version, found);
    writeFileSync(file, `${JSON.stringify(changed, undefined, 2)}\n`);
  }
  for (const path of versionPages) {
    const file = new URL(path, root);
    writeFileSync(file, pageWith(version, readFileSync(file, 'utf8')));
  }
  console.log(`The version is ${version}. Run npm ci and npm run generate, and commit.`);
  return 0;
}

if (import.meta.main)
  process.exitCode = main(scriptArguments('set-version', {}, { allowPositionals: true }).positionals[0]);
