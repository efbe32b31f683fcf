import type { ClusterLayout, NodeLayout } from './layout.ts';

/**
 * The paths by which the parts of a Node find each other: below its directory, or inside its own
 * mount namespace.
 */
export interface NodePaths {
  /** The directory of this Node, on the disk of the machine. */
  readonly directory: string;
  /** The directory of CNI plugins, as Debian's package has them. */
  readonly cniPlugins: string;
  /** The path below each cgroup hierarchy. */
  readonly cgroup: string;
}

/** The disk of a Node: a directory, or a file system of its own that is mounted there. */
const diskOf = (directory: string) => `${directory}/disk`;

/** The path inside the mount namespace of each Node, which has its own `/run`. */
export const containerdSocket = '/run/containerd/containerd.sock';

/** An image of the test bed itself, which is never pulled from a registry. */
const pauseImage = 'localhost/isthmus-pause:1';

/**
 * The configuration of containerd.
 *
 * Without CAP_SYS_RESOURCE a container cannot lower its OOM score, and runc would give up
 * (`restrict_oom_score_adj`).
 */
export function containerdConfig({ directory, cniPlugins }: NodePaths): string {
  return `version = 2
root = "${diskOf(directory)}/containerd"
state = "/run/containerd"
[grpc]
  address = "${containerdSocket}"
[ttrpc]
  address = "${containerdSocket}.ttrpc"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "${pauseImage}"
  restrict_oom_score_adj = true
  disable_apparmor = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "${cniPlugins}"
    conf_dir = "${directory}/cni"
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
      SystemdCgroup = false
`;
}

/** A CNI configuration: a bridge with addresses of both families from the Pod CIDRs of the Node. */
export function cniConfig({ podCIDR, podCIDR6 }: NodeLayout): string {
  return JSON.stringify({
    cniVersion: '1.0.0',
    name: 'pods',
    plugins: [
      {
        type: 'bridge',
        bridge: 'cni0',
        isGateway: true,
        hairpinMode: true,
        ipam: {
          type: 'host-local',
          ranges: [[{ subnet: podCIDR }], [{ subnet: podCIDR6 }]],
          routes: [{ dst: '0.0.0.0/0' }, { dst: '::/0' }],
        },
      },
      { type: 'portmap', capabilities: { portMappings: true } },
    ],
  });
}

/**
 * The configuration of a kubelet.
 *
 * It never evicts for lack of disk space if all Nodes share the machine's disk. Its requests are
 * authenticated and authorized as on any cluster.
 */
export function kubeletConfig(
  cluster: ClusterLayout,
  { directory, cgroup }: NodePaths,
  diskMiB: number | undefined,
): string {
  const free = diskMiB === undefined ? '0%' : '10%';
  return JSON.stringify({
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    failCgroupV1: false,
    failSwapOn: false,
    cgroupDriver: 'cgroupfs',
    cgroupRoot: cgroup,
    enforceNodeAllocatable: [],
    // With this feature kubelet asks for the size of the disk. It is not found if the machine's
    // disk is not a mount of the Node.
    localStorageCapacityIsolation: diskMiB !== undefined,
    evictionHard: {
      'memory.available': '1Mi',
      'nodefs.available': free,
      'nodefs.inodesFree': '0%',
      'imagefs.available': free,
    },
    // The condition DiskPressure ends with its cause, not five minutes later.
    evictionPressureTransitionPeriod: '1s',
    imageGCHighThresholdPercent: 100,
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true },
      x509: { clientCAFile: `${directory}/ca.crt` },
    },
    authorization: { mode: 'Webhook' },
    address: '::',
    clusterDomain: 'cluster.local',
    clusterDNS: [cluster.dnsAddress],
    resolvConf: '',
    containerRuntimeEndpoint: `unix://${containerdSocket}`,
    podLogsDir: '/var/log/pods',
    nodeStatusUpdateFrequency: '5s',
    // The interval for mounted ConfigMaps and Secrets, among others: a minute would be most of a
    // test.
    syncFrequency: '10s',
    registerNode: true,
    // Kubelet continues if sysctls and OOM scores cannot be written.
    featureGates: { KubeletInUserNamespace: true },
  });
}

/**
 * The Node object, created before its kubelet starts, so that its Pod CIDRs are known beforehand.
 */
export function nodeObject({ name, podCIDR, podCIDR6 }: NodeLayout): object {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { 'kubernetes.io/hostname': name } },
    spec: { podCIDR, podCIDRs: [podCIDR, podCIDR6] },
  };
}

/** The network of a Node's Pods beyond the Node. */
export interface NodeNetwork {
  readonly routes: readonly (readonly [cidr: string, via: string])[];
  /**
   * Networks of both families that see the addresses of Pods; beyond them Pods have the address of
   * their Node. Undefined: every network sees them.
   */
  readonly masqueradeBeyond: readonly string[] | undefined;
}

/** Waits for the end of the cable to the other Nodes, and gives it its addresses and routes. */
export function cableSetup(
  { address, address6 }: Pick<NodeLayout, 'address' | 'address6'>,
  routes: NodeNetwork['routes'],
): string {
  return `until ip link show eth0 >/dev/null 2>&1; do sleep 0.02; done
ip addr add ${address}/16 dev eth0
ip -6 addr add ${address6}/64 dev eth0 nodad
ip link set eth0 up
${routes.map(([cidr, via]) => `ip route replace ${cidr} via ${via}`).join('\n')}`;
}

/**
 * The shell script that prepares the namespaces of a Node. It runs in its new network and mount
 * namespaces; the shell then holds them open.
 */
export function nodeSetup(
  node: NodeLayout,
  directory: string,
  { routes, masqueradeBeyond }: NodeNetwork,
  diskMiB: number | undefined,
): string {
  const disk = diskOf(directory);
  // kubelet writes these sysctls, but they belong to the machine: it writes files instead.
  const sysctls = [
    ['vm/overcommit_memory', '1'],
    ['kernel/panic', '10'],
    ['kernel/panic_on_oops', '1'],
  ] as const;
  return `set -eu
mount --make-rprivate /
mount --make-rshared /
${sysctls
  .map(([path, value]) => {
    const file = `${directory}/sysctl-${path.replace('/', '-')}`;
    return `echo ${value} > ${file}; mount --bind ${file} /proc/sys/${path}`;
  })
  .join('\n')}
mount -t tmpfs -o mode=755 tmpfs /run
mount --make-rshared /run
mkdir -p /run/netns /run/containerd /run/xtables
for each in lib log; do mount -t tmpfs -o mode=755 tmpfs /var/$each; mount --make-rshared /var/$each; done
mkdir -p ${disk}
${diskMiB === undefined ? '' : `mount -t tmpfs -o mode=755,size=${diskMiB}m tmpfs ${disk}; mount --make-rshared ${disk}`}
mkdir -p /var/lib/kubelet /var/lib/cni /var/log/pods /var/log/containers ${disk}/kubelet ${disk}/pods
mount --bind ${disk}/kubelet /var/lib/kubelet
mount --make-rshared /var/lib/kubelet
mount --bind ${disk}/pods /var/log/pods
ip link set lo up
for each in net/ipv4/ip_forward net/ipv6/conf/all/forwarding net/bridge/bridge-nf-call-iptables net/bridge/bridge-nf-call-ip6tables; do
  [ ! -e /proc/sys/$each ] || echo 1 > /proc/sys/$each
done
for each in all default; do echo 0 > /proc/sys/net/ipv4/conf/$each/rp_filter; echo 0 > /proc/sys/net/ipv6/conf/$each/accept_dad; done
${cableSetup(node, routes)}
# Without a route an address of the Service network is unreachable before anything could translate it. Nobody is at the other end.
ip route replace default via 172.30.255.254 dev eth0 onlink
ip -6 route replace default via fd00:172:30::ffff:ffff dev eth0 onlink
${masquerading(node, masqueradeBeyond)}
touch ${directory}/ready
exec sleep infinity
`;
}

function masquerading({ podCIDR, podCIDR6 }: NodeLayout, beyond: readonly string[] | undefined): string {
  if (beyond === undefined) return '';
  const rules = (
    [
      ['ip', podCIDR, beyond.filter((cidr) => !cidr.includes(':'))],
      ['ip6', podCIDR6, beyond.filter((cidr) => cidr.includes(':'))],
    ] as const
  ).map(
    ([family, own, networks]) =>
      `oifname "eth0" ${family} saddr ${own} ${family} daddr != { ${networks.join(', ')} } masquerade`,
  );
  return `nft -f - <<'END'
table inet testbed-masquerade {
  chain postrouting {
    type nat hook postrouting priority srcnat; policy accept;
    ${rules.join('\n    ')}
  }
}
END`;
}
