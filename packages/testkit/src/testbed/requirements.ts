/**
 * One of the modules that may touch the world: it checks this machine (fs, process).
 */
import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Environment } from '../apiserver/find-binaries.ts';
import { locateNodePrograms } from './programs.ts';

/** Programs of the system, by the Debian package that has each. */
const systemPrograms: Readonly<Record<string, string>> = {
  containerd: 'containerd',
  ctr: 'containerd',
  runc: 'runc',
  nft: 'nftables',
  iptables: 'iptables',
  ip: 'iproute2',
  conntrack: 'conntrack',
  nsenter: 'util-linux',
  unshare: 'util-linux',
  wg: 'wireguard-tools',
  // Only kernels without WireGuard need it.
  'wireguard-go': 'wireguard-go',
};

/** Programs that only tests of images need, by Debian package. */
const imagePrograms: Readonly<Record<string, string>> = { buildah: 'buildah', skopeo: 'skopeo' };

/** The directory of CNI plugins, as the Debian package `containernetworking-plugins` has them. */
export const cniPlugins = '/usr/lib/cni';

/**
 * The hierarchies of cgroup v1 that this machine has, as directories; none with cgroup v2 alone.
 */
export function cgroupHierarchies(): readonly string[] {
  return readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' '))
    .filter(([, , type]) => type === 'cgroup')
    .flatMap(([, path]) => (path === undefined ? [] : [path]));
}

/**
 * The Debian packages that are missing here: those for nodes, and with `alsoImages` those for tests
 * that build images.
 */
export function missingPackages(environment: Environment, { alsoImages = false } = {}): readonly string[] {
  const programs = alsoImages ? { ...systemPrograms, ...imagePrograms } : systemPrograms;
  const packages = new Set(
    Object.entries(programs).flatMap(([name, debian]) => (inPath(name, environment) ? [] : [debian])),
  );
  if (!existsSync(join(cniPlugins, 'bridge'))) packages.add('containernetworking-plugins');
  return [...packages];
}

/**
 * The reasons why this machine cannot run nodes: a line for each, with its remedy; empty if it can.
 */
export function missingForNodes(environment: Environment): readonly string[] {
  if (process.platform !== 'linux') return [`nodes need Linux, and this is ${process.platform}`];
  const reasons: string[] = [];
  if (process.getuid?.() !== 0) reasons.push('nodes need root, for namespaces, mounts and cgroups');
  const packages = missingPackages(environment);
  if (packages.length > 0) reasons.push(`not installed: ${packages.join(', ')}. Run: npm run testbed:install`);
  const absent = locateNodePrograms(environment).filter(({ path }) => !existsSync(path));
  if (absent.length > 0)
    reasons.push(`not there: ${absent.map(({ path }) => path).join(', ')}. Run: npm run testbed:install`);
  if (existsSync('/proc/mounts') && cgroupHierarchies().length === 0)
    reasons.push('the machine has cgroup v2 alone, with which the test bed was never tried');
  return reasons;
}

function inPath(name: string, environment: Environment): boolean {
  return (environment['PATH'] ?? '').split(delimiter).some((directory) => {
    try {
      accessSync(join(directory, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
