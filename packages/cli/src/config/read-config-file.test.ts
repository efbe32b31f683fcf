import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { FixedName } from '@isthmus/api';
import { defaultControllerConfig } from '@isthmus/controlplane';
import { parseYaml } from '@isthmus/machinery';
import { describe, expect, it } from 'vitest';
import { madeUpIo } from '../testing/made-up-io.ts';
import { UsageError } from '../command/usage-error.ts';
import { readConfigFile } from './read-config-file.ts';

const read = (text: string) => readConfigFile('config.yaml', madeUpIo({ files: { 'config.yaml': text } }).readFile);
const refusalOf = async (text: string): Promise<string> => {
  try {
    await read(text);
  } catch (error) {
    expect(error).toBeInstanceOf(UsageError);
    return error instanceof Error ? error.message : '';
  }
  throw new Error('it was taken');
};
const header = 'apiVersion: multicluster.crd.antrea.io/v1alpha1\nkind: MultiClusterConfig\n';

describe('reading a configuration file', () => {
  it.each(['leader', 'member'])(
    'takes the one in the manifest of the %s, which holds the defaults and serves metrics',
    async (role) => {
      const manifest = fileURLToPath(new URL(`../../../../deploy/${role}.yaml`, import.meta.url));
      const objects = parseYaml(readFileSync(manifest, 'utf8'), { source: manifest }).map(({ value }) => value);
      const config = objects.find(
        (one): one is { readonly data: Readonly<Record<string, string>> } =>
          typeof one === 'object' && one !== null && 'kind' in one && one.kind === 'ConfigMap',
      );
      const result = await read(config?.data[FixedName.configKey] ?? '');
      const metrics = { host: undefined, port: 8081 };
      expect(result).toEqual({ config: { ...defaultControllerConfig(), metrics }, warnings: [] });
    },
  );

  it('names the file in its warnings', async () => {
    const { warnings } = await read(`${header}leaderElection:\n  leaderElect: false\n`);
    expect(warnings).toEqual([
      expect.stringMatching(/^config\.yaml: leaderElection is a setting of Antrea before 2\.0/),
    ]);
  });

  it('reports all problems in the order of their lines, each with file, line and field', async () => {
    const text = `${header}podCIDRs:
  - 10.10.0.0/16
  - 10.10a.0.0/16
gatewayIPPrecedence: publc
helth:
  healthProbeBindAddress: :8080
metrics:
  bindAddress: 0
`;
    expect(await refusalOf(text)).toMatchInlineSnapshot(`
      "the configuration file config.yaml has 4 problems
      config.yaml:5: podCIDRs[1]: Invalid value: "10.10a.0.0/16": must be an address and a prefix length, such as 10.10.0.0/16
      config.yaml:6: gatewayIPPrecedence: Unsupported value: "publc": supported values: "", "private", "internal", "public", "external"
      config.yaml:7: helth: unknown field; the fields here are apiVersion, kind, allowedCIDRs, enableStretchedNetworkPolicy, endpointIPType, gatewayIPPrecedence, hardened, health, importExcludedNamespaces, leaderElection, memberWrites, metrics, podCIDRs, serviceCIDR, unknownClusters, virtualPodCIDRs, webhook
      config.yaml:10: metrics.bindAddress: Invalid value: it is of type integer, and must be of type string"
    `);
  });

  it.each([
    ['nothing', ''],
    ['comments alone', '# apiVersion: v1\n'],
    ['another kind', 'apiVersion: v1\nkind: ConfigMap\n'],
    ['a list', '- 1\n'],
    ['two documents', `${header}---\n${header}`],
    ['no YAML', 'a: [1\nb: "2\n'],
    ['a key twice', `${header}kind: MultiClusterConfig\n`],
    ['a bomb', `a: &a [x, x]\nb: &b [${'*a, '.repeat(60)}*a]\nc: [${'*b, '.repeat(60)}*b]\n`],
  ])('refuses %s with the place', async (_what, text) => {
    expect(await refusalOf(text)).toMatch(
      /^the configuration file config\.yaml has (?:a problem|\d problems)\nconfig\.yaml:\d+/,
    );
  });

  it('reports what it needs where the file is empty', async () => {
    expect(await refusalOf('')).toMatchInlineSnapshot(`
      "the configuration file config.yaml has a problem
      config.yaml:1: the file is empty; it must contain a MultiClusterConfig"
    `);
  });

  it('lists ten syntax errors, and counts the others', async () => {
    const lines = (await refusalOf(`${header}health:\n${'\tx: 1\n'.repeat(13)}`)).split('\n');
    const problems = Number(/ has (\d+) problems$/.exec(lines[0] ?? '')?.[1]);
    expect(problems).toBeGreaterThan(10);
    expect(lines).toHaveLength(12);
    expect(lines.slice(1, -1).every((line) => /^config\.yaml:\d+:\d+: /.test(line))).toBe(true);
    expect(lines.at(-1)).toBe(`and ${problems - 10} more`);
  });

  it('names a file that cannot be read', async () => {
    const reading = readConfigFile('missing.yaml', madeUpIo().readFile);
    await expect(reading).rejects.toThrow('cannot read missing.yaml: no such file; name another file with --config');
    await expect(reading).rejects.toBeInstanceOf(UsageError);
  });
});
