/**
 * `npm run envtest:install`: gets etcd, etcdutl, kube-apiserver, kube-controller-manager, kubectl,
 * a registry and CoreDNS, once per Kubernetes version, by building them from the Go modules beside
 * this file into `$XDG_CACHE_HOME/isthmus/envtest/<version>`. `KUBEBUILDER_ASSETS` is honoured.
 * Runs under plain Node; needs Go only when something is to be built.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { binaryNames, goVersionIn, neededBinaries } from '../packages/testkit/src/apiserver/binaries.ts';
import type { BinaryName } from '../packages/testkit/src/apiserver/binaries.ts';
import { goModuleDirectory, locateBinaries } from '../packages/testkit/src/apiserver/find-binaries.ts';
import type { Environment } from '../packages/testkit/src/apiserver/find-binaries.ts';
import { scriptArguments } from '../scripts/script-arguments.ts';

const packages: Readonly<Record<BinaryName, string>> = {
  etcd: 'go.etcd.io/etcd/server/v3',
  etcdutl: 'go.etcd.io/etcd/etcdutl/v3',
  'kube-apiserver': 'k8s.io/kubernetes/cmd/kube-apiserver',
  'kube-controller-manager': 'k8s.io/kubernetes/cmd/kube-controller-manager',
  kubectl: 'k8s.io/kubernetes/cmd/kubectl',
  registry: '.',
  coredns: '.',
};

/** The registry and CoreDNS have modules of their own (their go.mod files give the reason). */
const directoryOf = (name: BinaryName) =>
  name === 'registry' || name === 'coredns' ? join(goModuleDirectory, name) : goModuleDirectory;

/**
 * Makes all these programs available.
 *
 * Guarantees: a program appears at its place whole or not at all, so two of these may run at once
 * (both build; the last one wins with an equal file). Programs that exist already are not touched,
 * and then nothing else is looked at. Errors, each with the next step: `KUBEBUILDER_ASSETS` lacks a
 * program; something is to be built and there is no Go; a build fails.
 */
export async function install(environment: Environment, say: (line: string) => void): Promise<void> {
  const { version, cache, sources } = locateBinaries(environment);
  const missing = binaryNames.filter((name) => sources[name].kind === 'missing');
  if (missing.length > 0) {
    throw new Error(
      `installing test programs: KUBEBUILDER_ASSETS=${environment['KUBEBUILDER_ASSETS']} does not hold ${missing.join(', ')}. ` +
        'Point it at a directory that does, or unset it to have them built with Go.',
    );
  }
  const toBuild = binaryNames.filter((name) => sources[name].kind === 'build');
  if (toBuild.length > 0) {
    const go = await goVersion(environment);
    if (go === undefined && !toBuild.some((name) => neededBinaries.includes(name))) {
      say(`not built, because go is not in PATH: ${toBuild.join(', ')}. Tests that need them are skipped.`);
      return;
    }
    if (go === undefined) {
      throw new Error(
        `installing test programs: ${toBuild.join(', ')} must be built, and go is not in PATH. Install Go ${leastGo()} or later ` +
          '(https://go.dev/dl), or set KUBEBUILDER_ASSETS to a directory with etcd, kube-apiserver, kube-controller-manager and kubectl.',
      );
    }
    say(`building ${toBuild.join(', ')} of Kubernetes ${version} with ${go} into ${cache}`);
    const programs = toBuild.map((name) => ({
      name,
      package: packages[name],
      directory: directoryOf(name),
      needed: neededBinaries.includes(name),
    }));
    await buildPrograms({ version, cache, programs, environment, say });
  }
  for (const name of binaryNames) say(`${name}: ${sources[name].path}`);
}

/** The answer of `go env GOVERSION`, e.g. `go1.26.8`; undefined if there is no Go. */
export async function goVersion(environment: Environment): Promise<string | undefined> {
  try {
    return (await run('go', ['env', 'GOVERSION'], environment)).trim();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** A program to be built. */
export interface ProgramToBuild {
  readonly name: string;
  /** The Go package of its `main`. */
  readonly package: string;
  /** The module that pins it. */
  readonly directory: string;
  /** Whether a failure ends the whole. */
  readonly needed: boolean;
}

/**
 * Builds programs into `cache`, each whole or not at all. Errors: a needed one that does not build.
 */
export async function buildPrograms(input: {
  /** The version of Kubernetes, with its `v`. */
  readonly version: string;
  readonly cache: string;
  readonly programs: readonly ProgramToBuild[];
  readonly environment: Environment;
  readonly say: (line: string) => void;
}): Promise<void> {
  const { version, cache, programs, say } = input;
  const environment = { ...input.environment, CGO_ENABLED: '0' };
  removeAbandoned(cache);
  // Beside the destination: a rename is atomic only within one file system.
  const workshop = `${cache}.building-${process.pid}`;
  mkdirSync(workshop, { recursive: true });
  mkdirSync(cache, { recursive: true });
  try {
    let start = performance.now();
    const done = (step: string) => {
      say(`${step}: ${((performance.now() - start) / 1000).toFixed(1)} s`);
      start = performance.now();
    };
    const ldflags = await linkerFlags(version, environment);
    done('fetched the Kubernetes module');
    for (const { name, package: main, directory, needed } of programs) {
      const output = join(workshop, name);
      const args = ['build', '-trimpath', '-ldflags', ldflags, '-o', output, main];
      try {
        await run('go', args, environment, directory);
        renameSync(output, join(cache, name));
        done(`built ${name}`);
      } catch (error) {
        if (needed) throw error;
        const message = error instanceof Error ? error.message : String(error);
        done(`not built: ${name} (${message}). Tests that need it are skipped`);
      }
    }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new Error(`installing test programs: ${message}\nGo ${leastGo()} or later is needed.`, { cause: error });
  } finally {
    rmSync(workshop, { recursive: true, force: true });
  }
}

/**
 * The flags that give the programs their version, as `/version`, kubectl and Helm show it. The
 * build date is that of the module version, as in Kubernetes' own reproducible builds; the commit
 * is known only if the module came from its repository.
 */
async function linkerFlags(version: string, environment: Environment): Promise<string> {
  const download = JSON.parse(
    await run('go', ['mod', 'download', '-json', `k8s.io/kubernetes@${version}`], environment),
  ) as {
    readonly Info: string;
  };
  const info = JSON.parse(readFileSync(download.Info, 'utf8')) as {
    readonly Time: string;
    readonly Origin?: { readonly Hash?: string | undefined } | undefined;
  };
  const [major = '', minor = ''] = version.slice(1).split('.');
  const values = {
    gitVersion: version,
    gitMajor: major,
    gitMinor: minor,
    gitTreeState: 'clean',
    gitCommit: info.Origin?.Hash ?? '',
    buildDate: info.Time,
  };
  const settings = ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version'].flatMap((target) =>
    Object.entries(values).map(([name, value]) => `-X ${target}.${name}=${value}`),
  );
  return ['-s', '-w', ...settings].join(' ');
}

function leastGo(): string {
  return goVersionIn(readFileSync(join(goModuleDirectory, 'go.mod'), 'utf8'));
}

/** Removes what interrupted builds of processes that are gone have left beside the cache. */
function removeAbandoned(cache: string): void {
  const parent = dirname(cache);
  mkdirSync(parent, { recursive: true });
  const prefix = `${basename(cache)}.building-`;
  for (const entry of readdirSync(parent).filter((entry) => entry.startsWith(prefix))) {
    if (!isAlive(Number(entry.slice(prefix.length)))) rmSync(join(parent, entry), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Runs a command in a Go module; its standard output. Standard error is passed through. */
function run(
  program: string,
  args: readonly string[],
  environment: Environment,
  directory = goModuleDirectory,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: directory,
      env: environment,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (code === 0) resolve(Buffer.concat(chunks).toString('utf8'));
      else reject(new Error(`${program} ${args.slice(0, 2).join(' ')} ended with ${signal ?? `code ${code}`}`));
    });
  });
}

if (import.meta.main) {
  scriptArguments('envtest:install', {});
  try {
    await install(process.env, (line) => console.log(line));
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
