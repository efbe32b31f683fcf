/**
 * Whether the CRDs of the tree can take the place of those that were released last: the check of
 * the package `upgrade`, on ourselves.
 */
import { parseYaml } from '@isthmus/machinery';
import type { CustomResourceDefinition } from '@isthmus/schema';
import { checkDefinition, findingOfCrd, readDefinition } from '@isthmus/upgrade';
import type { Finding } from '@isthmus/upgrade';

/** Texts of CRD files by their paths. */
export type CrdFiles = ReadonlyMap<string, string>;

/**
 * The findings that block or warn in clusters with the released CRDs. A released CRD that the tree
 * no longer has blocks too: all its objects would be removed with it. Errors: throws for a file
 * that is not a CRD.
 */
export function crdCompatibility(released: CrdFiles, current: CrdFiles): readonly Finding[] {
  const now = definitionsOf(current);
  const companions = [...now.values()];
  return [...definitionsOf(released)].flatMap(([name, old]): readonly Finding[] => {
    const next = now.get(name);
    if (next === undefined) {
      const why = 'it was released and is not in the tree: where it is deleted all its objects go with it';
      return [
        { rule: 'crd.missing', severity: 'block', subject: { object: name }, why, unblock: 'keep it, deprecated' },
      ];
    }
    // Any server may be out there: nothing is taken to be ratcheted, and no waiver counts.
    const { findings } = checkDefinition(old, next, { server: {}, waivers: [], today: '', companions });
    return findings.map((finding) => findingOfCrd(finding)).filter(({ severity }) => severity !== 'info');
  });
}

function definitionsOf(files: CrdFiles): ReadonlyMap<string, CustomResourceDefinition> {
  const found = [...files].flatMap(([path, text]) =>
    parseYaml(text, { source: path }).map(({ value }) => {
      const reading = readDefinition(value);
      if (reading.kind === 'read') return reading.definition;
      const problems = reading.problems.map((problem) => `${problem.path} ${problem.message}`);
      throw new Error(`${path} is not a CustomResourceDefinition: ${problems.join('; ')}`);
    }),
  );
  return new Map(found.map((definition) => [definition.metadata.name, definition]));
}
