import { FixedName } from '@isthmus/api';
import { controllerDeploymentName, controllerImage } from '@isthmus/install';
import { printYaml } from '@isthmus/machinery';
import { createHash } from 'node:crypto';

/** A file of a release. */
export interface ReleaseFile {
  /** Below the folder of the release. */
  readonly path: string;
  readonly data: Uint8Array;
}

interface BundleParts {
  readonly version: string;
  /** RFC 3339. */
  readonly createdAt: string;
  /** The version of Node in the image. */
  readonly node: string;
  /** The minors that it supports, both included. */
  readonly kubernetes: { readonly min: string; readonly max: string };
  /** `size`: what a Node downloads at most, in bytes. */
  readonly image: { readonly digest: string; readonly size: number };
  readonly leader: ReleaseFile;
  readonly member: ReleaseFile;
  readonly package: ReleaseFile;
}

/**
 * The ComponentBundle of this release, from which `isthmus upgrade plan` plans the upgrade of a
 * fleet to it; it names its files relative to its own folder. The same parts give the same text.
 * Errors: throws on a version that is neither `x.y.z` nor `x.y.z-rc.n`.
 */
export function releaseBundle(parts: BundleParts): string {
  const { version, createdAt, node, kubernetes } = parts;
  const { channel, number } = placeOf(version);
  const image = { name: 'image', kind: 'image', uri: `${controllerImage}:${version}`, ...parts.image };
  const controller = (role: 'leader' | 'member', namespace: string, interrupts: string) => ({
    id: `isthmus-${role}`,
    roles: [role],
    version: { upstream: `v${version}` },
    artifacts: [image, artifactOf('manifest', 'manifest', parts[role])],
    workloads: [{ kind: 'Deployment', namespace, name: controllerDeploymentName }],
    supports: { kubernetes },
    builtFrom: { node },
    interrupts: [interrupts],
  });
  return (
    '# The components of this release, with the digests of their artifacts. `isthmus upgrade bundle verify` checks its signature and the files beside it that it names; SHA256SUMS has the checksums of all files.\n' +
    printYaml({
      apiVersion: 'upgrade.isthmus.dev/v1alpha1',
      kind: 'ComponentBundle',
      metadata: { name: `isthmus-${version}` },
      spec: {
        number,
        channel,
        createdAt,
        policies: [{ name: 'isthmus' }],
        components: [
          controller(
            'leader',
            FixedName.leaderNamespace,
            'Changes of exports wait until a new replica acts; what is imported stays.',
          ),
          controller(
            'member',
            FixedName.memberNamespace,
            'Changes of imports wait until a new replica acts; what is imported stays.',
          ),
          {
            id: 'isthmus-cli',
            scope: 'client',
            version: { upstream: `v${version}` },
            artifacts: [artifactOf('package', 'binary', parts.package)],
          },
        ],
      },
    })
  );
}

function artifactOf(name: string, kind: string, { path, data }: ReleaseFile) {
  const digest = `sha256:${createHash('sha256').update(data).digest('hex')}`;
  return { name, kind, uri: path, digest, size: data.length };
}

/**
 * Release candidates have a channel of their own. A number for each version, in the order of
 * versions.
 */
function placeOf(version: string): { readonly channel: string; readonly number: number } {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})(?:-rc\.(\d{1,2}))?$/.exec(version);
  if (match === null)
    throw new Error(`the version ${version} is neither x.y.z nor x.y.z-rc.n, with up to three digits each`);
  const [major = 0, minor = 0, patch = 0] = match.slice(1, 4).map(Number);
  const candidate = match[4];
  const number = ((major * 1000 + minor) * 1000 + patch) * 100 + (candidate === undefined ? 99 : Number(candidate));
  return { channel: candidate === undefined ? 'stable' : 'candidate', number };
}
