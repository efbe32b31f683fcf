import type { CustomResourceDefinition, JsonSchema } from '@isthmus/schema';

/**
 * A version of a CRD as tests write it: `v1beta1`, then `stored`, `deprecated`, `warned` (with a
 * deprecationWarning), `unserved`.
 */
export type VersionWords = string;

const spec = (field: string): JsonSchema => ({
  type: 'object',
  properties: { spec: { type: 'object', properties: { [field]: { type: 'string' } } } },
});

/** A CRD of `crd.antrea.io` by its kind; the word `other` gives a version another schema. */
export function definition(
  kind: string,
  versions: readonly VersionWords[],
  more: {
    readonly webhook?: boolean;
    readonly stored?: readonly string[];
    readonly dependsOn?: string;
    readonly group?: string;
  } = {},
): CustomResourceDefinition {
  const group = more.group ?? 'crd.antrea.io';
  const plural = `${kind.toLowerCase()}s`;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${plural}.${group}`,
      ...(more.dependsOn === undefined ? {} : { annotations: { 'upgrade.isthmus.dev/depends-on': more.dependsOn } }),
    },
    spec: {
      group,
      scope: 'Cluster',
      names: { kind, plural },
      versions: versions.map((line, at) => {
        const [name = '', ...words] = line.split(' ');
        const has = (word: string) => words.includes(word);
        return {
          name,
          served: !has('unserved'),
          storage: has('stored') || (at === 0 && versions.length === 1),
          ...(has('deprecated') || has('warned') ? { deprecated: true } : {}),
          ...(has('warned') ? { deprecationWarning: 'use another one' } : {}),
          schema: { openAPIV3Schema: spec(has('other') ? 'b' : 'a') },
        };
      }),
      ...(more.webhook === true ? { conversion: { strategy: 'Webhook' as const } } : {}),
    },
    ...(more.stored === undefined ? {} : { status: { storedVersions: more.stored } }),
  };
}
