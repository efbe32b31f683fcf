import { createHash } from 'node:crypto';
import type { Architecture } from './pins.ts';

/** A package whose files are in the image. */
export interface Component {
  readonly name: string;
  readonly version: string;
  /** Its package URL, by which scanners look up vulnerabilities. */
  readonly purl: string;
  /**
   * An SPDX expression; undefined: the image has its licence file, for which no expression is
   * known.
   */
  readonly licence?: string;
  /** The checksum of the archive that it is from, in hexadecimal. */
  readonly checksum?: { readonly algorithm: 'SHA256' | 'SHA512'; readonly value: string };
}

export interface SbomParts {
  readonly name: string;
  readonly version: string;
  readonly architecture: Architecture;
  /** The digest of the manifest of the image, such as `sha256:…`. */
  readonly digest: string;
  readonly created: string;
  readonly components: readonly Component[];
}

/**
 * The software bill of materials of an image of one architecture, in SPDX 2.3 (JSON). The same
 * parts give the same text.
 */
export function sbomOf({ name, version, architecture, digest, created, components }: SbomParts): string {
  const image = 'SPDXRef-image';
  const packages = components.map((one) => ({ id: idOf(one.purl), component: one }));
  const document = {
    spdxVersion: 'SPDX-2.3',
    dataLicense: 'CC0-1.0',
    SPDXID: 'SPDXRef-DOCUMENT',
    name: `${name}-${version}-${architecture}`,
    // Only has to be unique: the digest makes it so.
    documentNamespace: `https://isthmus.dev/spdx/${name}-${version}-${architecture}-${digest.replace(':', '-')}`,
    creationInfo: { created, creators: [`Tool: isthmus-build-${version}`] },
    packages: [
      {
        SPDXID: image,
        name,
        versionInfo: version,
        downloadLocation: 'NOASSERTION',
        filesAnalyzed: false,
        primaryPackagePurpose: 'CONTAINER',
        licenseConcluded: 'NOASSERTION',
        licenseDeclared: 'NOASSERTION',
        copyrightText: 'NOASSERTION',
        checksums: [{ algorithm: 'SHA256', checksumValue: digest.replace('sha256:', '') }],
        externalRefs: [purlRef(`pkg:oci/${name}@${encodeURIComponent(digest)}?arch=${architecture}&tag=${version}`)],
      },
      ...packages.map(({ id, component }) => ({
        SPDXID: id,
        name: component.name,
        versionInfo: component.version,
        downloadLocation: 'NOASSERTION',
        filesAnalyzed: false,
        licenseConcluded: 'NOASSERTION',
        licenseDeclared: component.licence ?? 'NOASSERTION',
        copyrightText: 'NOASSERTION',
        ...(component.checksum && {
          checksums: [{ algorithm: component.checksum.algorithm, checksumValue: component.checksum.value }],
        }),
        externalRefs: [purlRef(component.purl)],
      })),
    ],
    relationships: [
      { spdxElementId: 'SPDXRef-DOCUMENT', relationshipType: 'DESCRIBES', relatedSpdxElement: image },
      ...packages.map(({ id }) => ({ spdxElementId: image, relationshipType: 'CONTAINS', relatedSpdxElement: id })),
    ],
  };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

const purlRef = (purl: string) => ({
  referenceCategory: 'PACKAGE-MANAGER',
  referenceType: 'purl',
  referenceLocator: purl,
});

/**
 * SPDX allows letters, digits, dots and hyphens. The hash keeps apart what is equal without the
 * other characters.
 */
function idOf(purl: string): string {
  const hash = createHash('sha256').update(purl).digest('hex').slice(0, 8);
  return `SPDXRef-${purl.replaceAll(/[^A-Za-z0-9.]+/g, '-')}-${hash}`;
}
