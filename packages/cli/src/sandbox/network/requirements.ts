import type { Io } from '../../world/io.ts';
import { UsageError } from '../../command/usage-error.ts';

/** The programs of the system that a network needs, by the Debian package that has each. */
const programs: Readonly<Record<string, string>> = {
  ip: 'iproute2',
  bridge: 'iproute2',
  nft: 'nftables',
  nsenter: 'util-linux',
  setpriv: 'util-linux',
  unshare: 'util-linux',
  mount: 'mount',
  hostname: 'hostname',
  sysctl: 'procps',
};

/**
 * Makes sure that this machine can have networks of Nodes and Pods, before anything is made.
 * `also`: further programs that are needed, with their packages. Errors: {@link UsageError} with
 * all that is missing, and what to do.
 */
export async function demandNetwork(
  { platform, isRoot, runTool }: Pick<Io, 'platform' | 'isRoot' | 'runTool'>,
  also: Readonly<Record<string, string>> = {},
): Promise<void> {
  const needed = { ...programs, ...also };
  if (platform !== 'linux')
    throw new UsageError(`--network needs Linux, and this is ${platform}. Leave it out: Pods are then simulated.`);
  if (!isRoot)
    throw new UsageError(
      '--network needs root, for namespaces and their networks. Run the command as root, or leave it out: Pods are then simulated.',
    );
  const found = await runTool(
    'sh',
    ['-c', `for p in ${Object.keys(needed).join(' ')}; do command -v $p || :; done`],
    '',
  );
  const there = new Set(found.stdout.split('\n').map((path) => path.slice(path.lastIndexOf('/') + 1)));
  const missing = Object.keys(needed).filter((name) => !there.has(name));
  if (missing.length > 0) {
    const packages = [...new Set(missing.map((name) => needed[name]))].join(' ');
    throw new UsageError(
      `--network needs programs that are not installed: ${missing.join(', ')}. Install them, on Debian with: apt-get install ${packages}`,
    );
  }
  // In namespaces of their own, which end with the program.
  const tries =
    'mount -t tmpfs tmpfs /run && ip link add try type veth && ip link add try0 type bridge && nft add table inet try';
  const { code, stderr } = await runTool('unshare', ['--net', '--mount', '--pid', '--fork', 'sh', '-c', tries], '');
  if (code !== 0)
    throw new UsageError(
      `--network cannot make networks here: ${stderr.trim()}. In a container, it needs the rights of a privileged one.`,
    );
}
