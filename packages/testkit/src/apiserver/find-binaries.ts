/** One of the modules that may touch the world: it searches the disk for the programs (fs, os). */
import { accessSync, constants, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { cacheDirectory, kubernetesVersionIn, neededBinaries, planBinaries } from './binaries.ts';
import type { Binaries, BinaryName, BinarySource } from './binaries.ts';

/** The variables of the environment that name directories of programs. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The directory of the Go module that pins the programs. */
export const goModuleDirectory = fileURLToPath(new URL('../../../../envtest', import.meta.url));

/** The pinned version, and where each program is on this machine. */
export interface BinaryLocations {
  /** The Kubernetes version that envtest/go.mod pins, with its `v`. */
  readonly version: string;
  readonly cache: string;
  readonly sources: Readonly<Record<BinaryName, BinarySource>>;
}

/** Locates the programs. `KUBEBUILDER_ASSETS` and `XDG_CACHE_HOME` of `environment` are used. */
export function locateBinaries(environment: Environment): BinaryLocations {
  const version = kubernetesVersionIn(readFileSync(`${goModuleDirectory}/go.mod`, 'utf8'));
  const cache = cacheDirectory(environment, homedir(), version);
  // An empty variable counts as unset.
  const assets = environment['KUBEBUILDER_ASSETS']?.replace(/\/+$/, '') || undefined;
  return { version, cache, sources: planBinaries({ cache, assets, exists: isExecutable }) };
}

/**
 * The path of each program, including optional ones that do not exist. Errors: another program is
 * missing, with the command that installs it.
 */
export function findBinaries(environment: Environment): Binaries {
  const { sources } = locateBinaries(environment);
  const absent = neededBinaries.filter((name) => sources[name].kind !== 'present');
  if (absent.length > 0) {
    const list = absent.map((name) => sources[name].path).join(', ');
    throw new Error(`starting a Kubernetes API server: not there: ${list}. Run: npm run envtest:install`);
  }
  return {
    etcd: sources.etcd.path,
    etcdutl: sources.etcdutl.path,
    'kube-apiserver': sources['kube-apiserver'].path,
    'kube-controller-manager': sources['kube-controller-manager'].path,
    kubectl: sources.kubectl.path,
    registry: sources.registry.path,
    coredns: sources.coredns.path,
  };
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
