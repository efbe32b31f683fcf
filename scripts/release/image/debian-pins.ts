import type { Architecture, DebianPin } from './pins.ts';

/** A package of Debian, by its name. */
export interface NamedPin {
  readonly version: string;
  /** The folder of its source, below `pool/main`. */
  readonly folder: string;
  readonly sha256: Readonly<Record<Architecture, string>>;
}

/** The packages for one architecture. `release`: of Debian, which has them in these versions. */
export function debianPins(
  named: Readonly<Record<string, NamedPin>>,
  architecture: Architecture,
  release: DebianPin['release'],
): readonly DebianPin[] {
  return Object.entries(named).map(([name, { version, folder, sha256 }]) => ({
    name,
    version,
    release,
    architecture,
    // The name of a file has no epoch.
    path: `pool/main/${folder}/${name}_${version.replace(/^\d+:/, '')}_${architecture}.deb`,
    sha256: sha256[architecture],
  }));
}
