import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseYaml } from '@isthmus/machinery';
import { describe, expect, it } from 'vitest';
import { crdCompatibility } from './crd-compatibility.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const files = (pattern: string) =>
  new Map(globSync(pattern, { cwd: root }).map((path) => [path, readFileSync(`${root}/${path}`, 'utf8')]));
const released = files('scripts/released-crds/*.yaml');
const rulesOf = (current: ReadonlyMap<string, string>) =>
  crdCompatibility(released, current).map(({ rule, severity }) => [rule, severity]);

describe('our CRDs against those that were released last', () => {
  it('are compared, all of them, and nothing blocks', () => {
    expect(released.size).toBe(10);
    expect(rulesOf(files('deploy/crds/*.yaml')).filter(([, severity]) => severity === 'block')).toEqual([]);
  });

  it('would be held back where a field is renamed, a limit comes, or a CRD goes', () => {
    const clusterSets = (from: RegExp, to: string) =>
      new Map(
        [...released].map(([path, text]) => {
          if (!path.includes('/clustersets.')) return [path, text];
          const [document] = parseYaml(text, { source: path });
          return [path, JSON.stringify(document?.value).replaceAll(from, to)];
        }),
      );
    expect(rulesOf(clusterSets(/"clusterID":\{/g, '"clusterId":{'))).toContainEqual(['F02', 'block']);
    expect(rulesOf(clusterSets(/"clusterID":\{/g, '"clusterID":{"maxLength":3,'))).toContainEqual(['F12', 'block']);
    const [first = ''] = released.keys();
    expect(rulesOf(new Map([...released].filter(([path]) => path !== first)))).toEqual([['crd.missing', 'block']]);
  });

  it('names the file that is not a CRD', () => {
    expect(() => crdCompatibility(new Map([['x.yaml', 'kind: Pod\n']]), new Map())).toThrow(
      /x\.yaml is not a CustomResourceDefinition: kind must be CustomResourceDefinition, not Pod; apiVersion is missing/,
    );
  });
});
