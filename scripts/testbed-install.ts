/**
 * `npm run testbed:install`: gets what clusters with real Nodes need, once per Kubernetes version:
 * the programs of API servers (`npm run envtest:install`); kubelet, kube-proxy, kube-scheduler and
 * the programs of test Pods, built from the same Go module into the same cache; the images of
 * these; and, as root on Debian, the packages that have containerd, runc, the CNI plugins and
 * nftables, and Buildah, for the tests of images.
 */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { goModuleDirectory, locateBinaries } from '../packages/testkit/src/apiserver/find-binaries.ts';
import { nodeImageNames, nodeProgram, nodeProgramNames } from '../packages/testkit/src/testbed/programs.ts';
import type { NodeProgramName } from '../packages/testkit/src/testbed/programs.ts';
import { missingPackages } from '../packages/testkit/src/testbed/requirements.ts';
import { buildPrograms, goVersion, install } from '../envtest/install.ts';
import { scriptArguments } from './script-arguments.ts';
import { programImage } from './release/image/program-image.ts';

const packages: Readonly<Record<NodeProgramName, string>> = {
  kubelet: 'k8s.io/kubernetes/cmd/kubelet',
  'kube-proxy': 'k8s.io/kubernetes/cmd/kube-proxy',
  'kube-scheduler': 'k8s.io/kubernetes/cmd/kube-scheduler',
  pause: './pause',
  agnhost: 'k8s.io/kubernetes/test/images/agnhost',
  packets: './packets',
};

/** Whether the source of a program is here, and not in a module of a pinned version. */
const isOwn = (name: NodeProgramName) => packages[name].startsWith('./');

/** Gets all of it. Errors: what cannot be had, and why. */
async function installTestbed(environment: NodeJS.ProcessEnv, say: (line: string) => void): Promise<void> {
  const debian = missingPackages(environment, { alsoImages: true });
  if (debian.length > 0) {
    if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get'))
      throw new Error(
        `installing the test bed: not installed: ${debian.join(', ')}. Install them with the package manager of this system.`,
      );
    say(`installing ${debian.join(', ')}`);
    await run('apt-get', ['update', '-qq']);
    // No services: each Node runs its own.
    await run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...debian], {
      DEBIAN_FRONTEND: 'noninteractive',
      RUNLEVEL: '1',
    });
  }
  await install(environment, say);
  const { version, cache } = locateBinaries(environment);
  // One of ours may be of another checkout, with another source.
  const hasGo = (await goVersion(environment)) !== undefined;
  const toBuild = nodeProgramNames.filter(
    (name) => !existsSync(nodeProgram(name, environment)) || (isOwn(name) && hasGo),
  );
  if (toBuild.length > 0) {
    const programs = toBuild.map((name) => ({
      name,
      package: packages[name],
      directory: goModuleDirectory,
      needed: true,
    }));
    await buildPrograms({ version, cache, programs, environment, say });
  }
  for (const name of nodeProgramNames) say(`${name}: ${nodeProgram(name, environment)}`);
  for (const image of nodeImageNames) {
    const path = nodeProgram(`${image}.tar`, environment);
    if (existsSync(path) && !isOwn(image)) continue;
    writeFileSync(`${path}.new`, programImage(image, readFileSync(nodeProgram(image, environment))));
    renameSync(`${path}.new`, path);
    say(`${image}.tar: ${path}`);
  }
}

function run(program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit'], env: { ...process.env, ...env } });
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`${program} ${args[0] ?? ''} ended with code ${code}`));
    });
  });
}

if (import.meta.main) {
  scriptArguments('testbed:install', {});
  try {
    await installTestbed(process.env, (line) => console.log(line));
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
