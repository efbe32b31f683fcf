/**
 * A program: runs these files of tests on the oldest Kubernetes that is supported, as
 * `scripts/soak-envtests.ts` does on the newest. It builds kube-apiserver, kube-controller-manager
 * and kubectl of that version first, once, beside those of the newest, whose etcd it uses.
 */
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildPrograms, install } from '../envtest/install.ts';
import { cacheDirectory, kubernetesVersionIn } from '../packages/testkit/src/apiserver/binaries.ts';
import { locateBinaries } from '../packages/testkit/src/apiserver/find-binaries.ts';
import { soakEnvtests } from './soak-envtests.ts';

const directory = fileURLToPath(new URL('../envtest/oldest', import.meta.url));
const programs = ['kube-apiserver', 'kube-controller-manager', 'kubectl'];
const say = (line: string) => console.error(line);

/** The folder with the programs, which are built where they are missing. */
async function installOldest(): Promise<string> {
  // With its own etcd, and the error for a machine without Go.
  const environment = { ...process.env, KUBEBUILDER_ASSETS: undefined };
  await install(environment, say);
  const version = kubernetesVersionIn(readFileSync(join(directory, 'go.mod'), 'utf8'));
  const cache = cacheDirectory(environment, homedir(), version);
  const toBuild = programs
    .filter((name) => !existsSync(join(cache, name)))
    .map((name) => ({ name, package: `k8s.io/kubernetes/cmd/${name}`, directory, needed: true }));
  mkdirSync(cache, { recursive: true });
  if (toBuild.length > 0) await buildPrograms({ version, cache, programs: toBuild, environment, say });
  const etcd = join(cache, 'etcd');
  if (!existsSync(etcd)) symlinkSync(locateBinaries(environment).sources.etcd.path, etcd);
  return cache;
}

const assets = await installOldest();
say(`on the oldest supported Kubernetes: ${assets}`);
process.exitCode = await soakEnvtests(process.argv.slice(2), { KUBEBUILDER_ASSETS: assets });
