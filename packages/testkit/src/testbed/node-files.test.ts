import { describe, expect, it } from 'vitest';
import { layoutOf } from './layout.ts';
import { containerdConfig, kubeletConfig, nodeSetup } from './node-files.ts';

const [cluster] = layoutOf({ north: { nodes: 1 } });
const [node] = cluster?.nodes ?? [];
const paths = { directory: '/bed/north-1', cniPlugins: '/cni', cgroup: '/bed/north-1' };

/**
 * The eviction settings of a Node with a disk of its own of this size, or with that of the machine.
 */
function disk(diskMiB: number | undefined) {
  if (cluster === undefined || node === undefined) throw new Error('no Node');
  const { evictionHard, localStorageCapacityIsolation } = JSON.parse(kubeletConfig(cluster, paths, diskMiB)) as {
    readonly evictionHard: Readonly<Record<string, string>>;
    readonly localStorageCapacityIsolation: boolean;
  };
  const setup = nodeSetup(node, paths.directory, { routes: [], masqueradeBeyond: undefined }, diskMiB);
  return {
    free: [evictionHard['nodefs.available'], evictionHard['imagefs.available']],
    localStorageCapacityIsolation,
    mounted: /^mount -t tmpfs -o \S+ tmpfs \/bed[^;]+/m.exec(setup)?.[0],
  };
}

describe('the disk of a Node', () => {
  it('is that of the machine, for which nothing is evicted', () => {
    expect(disk(undefined)).toEqual({
      free: ['0%', '0%'],
      localStorageCapacityIsolation: false,
      mounted: undefined,
    });
  });

  it('is mounted before anything is on it where the Node has one of its own, and the kubelet watches it', () => {
    expect(disk(64)).toEqual({
      free: ['10%', '10%'],
      localStorageCapacityIsolation: true,
      mounted: 'mount -t tmpfs -o mode=755,size=64m tmpfs /bed/north-1/disk',
    });
    expect(containerdConfig(paths)).toContain('root = "/bed/north-1/disk/containerd"');
  });
});
