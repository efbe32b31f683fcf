import { describe, expect, it } from 'vitest';
import { decodeControllerConfig, defaultControllerConfig } from './config.ts';

const header = { apiVersion: 'multicluster.crd.antrea.io/v1alpha1', kind: 'MultiClusterConfig' };
const decode = (fields: Readonly<Record<string, unknown>>) => decodeControllerConfig({ ...header, ...fields });
const configOf = (fields: Readonly<Record<string, unknown>>) => {
  const decoded = decode(fields);
  if (decoded.kind === 'invalid') throw new Error(JSON.stringify(decoded.problems));
  return decoded.config;
};
const problemsOf = (value: unknown) => {
  const decoded = decodeControllerConfig(value);
  return decoded.kind === 'valid' ? [] : decoded.problems.map(({ path, message }) => `${path}: ${message}`);
};

/** The keys and values of the file that Antrea ships (docs/spec/process.md §2). */
const shipped = {
  health: { healthProbeBindAddress: ':8080' },
  metrics: { bindAddress: '0' },
  webhook: { port: 9443 },
  serviceCIDR: '',
  podCIDRs: [''],
  gatewayIPPrecedence: 'private',
  endpointIPType: 'ClusterIP',
  enableStretchedNetworkPolicy: false,
};

describe('the configuration of a controller', () => {
  it('has the defaults of upstream where there is no file', () => {
    expect(defaultControllerConfig()).toEqual({
      health: { host: '127.0.0.1', port: 8080 },
      metrics: undefined,
      webhook: { host: undefined, port: 9443 },
      endpointIPType: 'ClusterIP',
      gatewayIPPrecedence: 'private',
      serviceCIDR: undefined,
      podCIDRs: [],
      enableStretchedNetworkPolicy: false,
      hardened: false,
      importExcludedNamespaces: [],
      allowedCIDRs: [],
      unknownClusters: 'Observe',
      memberWrites: { megabytesPerMinute: 64, rewritesPerMinute: 12_000 },
      virtualPodCIDRs: [],
    });
  });

  it('takes the file that Antrea ships, without a warning, for the defaults with health on all addresses', () => {
    const config = { ...defaultControllerConfig(), health: { host: undefined, port: 8080 } };
    expect(decode(shipped)).toEqual({ kind: 'valid', config, warnings: [] });
  });

  it('drops empty Pod CIDRs and keeps the others', () => {
    expect(configOf({ podCIDRs: ['10.10.0.0/16', ''] }).podCIDRs).toEqual(['10.10.0.0/16']);
  });

  it('takes one empty Pod CIDR for none', () => {
    expect(configOf({ podCIDRs: [''] }).podCIDRs).toEqual([]);
  });

  it('names what is not a Namespace among those that are excluded from import, and ignores empty strings', () => {
    expect(configOf({ importExcludedNamespaces: ['bank', ''] }).importExcludedNamespaces).toEqual(['bank']);
    expect(problemsOf({ ...header, importExcludedNamespaces: ['bank', 'Bank/vault'] })).toEqual([
      expect.stringMatching(/^importExcludedNamespaces\[1\]: Invalid value: "Bank\/vault": /),
    ]);
  });

  it('rejects an invalid Pod CIDR by name', () => {
    expect(problemsOf({ ...header, podCIDRs: ['10.10a.0.0/16'] })).toEqual([
      'podCIDRs[0]: Invalid value: "10.10a.0.0/16": must be an address and a prefix length, such as 10.10.0.0/16',
    ]);
  });

  it.each([
    ['private', 'private'],
    ['internal', 'private'],
    ['public', 'public'],
    ['external', 'public'],
    ['', 'private'],
  ])('reads the gateway IP precedence %j as %s', (written, meant) => {
    expect(configOf({ gatewayIPPrecedence: written }).gatewayIPPrecedence).toBe(meant);
  });

  it.each([
    ['ClusterIP', 'ClusterIP'],
    ['PodIP', 'PodIP'],
    ['', 'ClusterIP'],
  ])('reads the endpoint IP type %j as %s', (written, meant) => {
    expect(configOf({ endpointIPType: written }).endpointIPType).toBe(meant);
  });

  it.each([
    [{}, { host: '127.0.0.1', port: 8080 }],
    [{ healthProbeBindAddress: '' }, { host: '127.0.0.1', port: 8080 }],
    [{ healthProbeBindAddress: ':8080' }, { host: undefined, port: 8080 }],
    [{ healthProbeBindAddress: '127.0.0.1:18080' }, { host: '127.0.0.1', port: 18080 }],
    [{ healthProbeBindAddress: '0' }, undefined],
  ])('serves health for %j at %j', (health, bind) => {
    expect(configOf({ health }).health).toEqual(bind);
  });

  it.each([
    ['10.20.1.5', { host: '10.20.1.5', port: 8080 }],
    ['fd00::5', { host: 'fd00::5', port: 8080 }],
    ['', { host: '127.0.0.1', port: 8080 }],
  ])('serves health at the address %j of its Pod', (podIP, bind) => {
    const decoded = decodeControllerConfig(header, { podIP });
    expect(decoded.kind === 'valid' ? decoded.config.health : undefined).toEqual(bind);
  });

  it.each([
    [{}, undefined],
    [{ bindAddress: '' }, undefined],
    [{ bindAddress: '0' }, undefined],
    [{ bindAddress: ':9090' }, { host: undefined, port: 9090 }],
  ])('serves metrics for %j at %j', (metrics, bind) => {
    expect(configOf({ metrics }).metrics).toEqual(bind);
  });

  it('needs no webhook.port', () => {
    expect(configOf({ webhook: {} }).webhook).toEqual({ host: undefined, port: 9443 });
    expect(configOf({ webhook: { host: '' } }).webhook.port).toBe(9443);
    expect(configOf({}).webhook.port).toBe(9443);
  });

  it('takes null for what is not there', () => {
    expect(configOf({ podCIDRs: null, health: null, webhook: null, serviceCIDR: null })).toEqual(
      defaultControllerConfig(),
    );
  });

  it('writes CIDRs in their canonical form', () => {
    const { serviceCIDR, podCIDRs } = configOf({ serviceCIDR: '10.96.1.0/12', podCIDRs: ['FD00:0::/48'] });
    expect([serviceCIDR, ...podCIDRs]).toEqual(['10.96.0.0/12', 'fd00::/48']);
  });

  it('takes leaderElection of older files, with a warning', () => {
    const decoded = decode({ ...shipped, leaderElection: { leaderElect: false } });
    const config = { ...defaultControllerConfig(), health: { host: undefined, port: 8080 } };
    expect(decoded).toMatchObject({ kind: 'valid', config });
    expect(decoded.kind === 'valid' ? decoded.warnings : []).toEqual([
      'leaderElection is a setting of Antrea before 2.0 and is not used: replicas elect a leader with a Lease unless --leader-elect=false is given; remove it',
    ]);
  });

  it('names which settings it does not act on yet', () => {
    const decoded = decode({
      serviceCIDR: '10.96.0.0/12',
      podCIDRs: ['10.244.0.0/16'],
      gatewayIPPrecedence: 'public',
      enableStretchedNetworkPolicy: true,
      webhook: { port: 9444 },
    });
    expect(decoded.kind === 'valid' ? decoded.warnings : []).toEqual([
      'this version accepts these settings but does not use them yet: webhook',
    ]);
  });

  it('does not warn about the ranges of the cluster, which a member with a Gateway exports', () => {
    const decoded = decode({ serviceCIDR: '10.96.0.0/12', podCIDRs: ['10.244.0.0/16'] });
    expect(decoded).toMatchObject({
      config: { serviceCIDR: '10.96.0.0/12', podCIDRs: ['10.244.0.0/16'] },
      warnings: [],
    });
  });
});

describe('a configuration that cannot be used', () => {
  it('reports every problem at once, each with what was found and what is expected', () => {
    const file = {
      ...header,
      helth: {},
      health: { healthProbeBindAddress: 'everywhere', bind: 1 },
      metrics: { bindAddress: 0 },
      webhook: { port: 70000 },
      gatewayIPPrecedence: 'publc',
      endpointIPType: 'podip',
      serviceCIDR: '10.96.0.0/33',
      podCIDRs: [7, '10.0.0.0'],
    };
    expect(problemsOf(file).toSorted()).toMatchInlineSnapshot(`
      [
        "endpointIPType: Unsupported value: "podip": supported values: "", "ClusterIP", "PodIP"",
        "gatewayIPPrecedence: Unsupported value: "publc": supported values: "", "private", "internal", "public", "external"",
        "health.bind: unknown field; the fields here are healthProbeBindAddress",
        "health.healthProbeBindAddress: the bind address "everywhere" is not valid; use ":8080", "127.0.0.1:8080", "[::1]:8080", or "0" to disable it",
        "helth: unknown field; the fields here are apiVersion, kind, allowedCIDRs, enableStretchedNetworkPolicy, endpointIPType, gatewayIPPrecedence, hardened, health, importExcludedNamespaces, leaderElection, memberWrites, metrics, podCIDRs, serviceCIDR, unknownClusters, virtualPodCIDRs, webhook",
        "metrics.bindAddress: Invalid value: it is of type integer, and must be of type string",
        "podCIDRs[0]: Invalid value: it is of type integer, and must be of type string",
        "podCIDRs[1]: Invalid value: "10.0.0.0": must be an address and a prefix length, such as 10.10.0.0/16",
        "serviceCIDR: Invalid value: "10.96.0.0/33": must be an address and a prefix length, such as 10.10.0.0/16",
        "webhook.port: Invalid value: 70000: should be less than or equal to 65535",
      ]
    `);
  });

  it.each([
    ['nothing', null],
    ['a text', 'serviceCIDR'],
    ['a list', [header]],
    ['another kind', { ...header, kind: 'ConfigMap' }],
    ['another group', { ...header, apiVersion: 'v1' }],
    ['no kind', { apiVersion: header.apiVersion }],
  ])('refuses %s, saying what it must be', (_what, value) => {
    const problems = problemsOf(value);
    expect(problems.length).toBeGreaterThan(0);
    expect(problems.join('\n')).toMatch(
      /MultiClusterConfig|multicluster\.crd\.antrea\.io\/v1alpha1|kind: Required value/,
    );
  });

  it.each(['serviceCIDR', 'podCIDRs', 'health', 'metrics', 'webhook', 'gatewayIPPrecedence', 'endpointIPType'])(
    'names %s where it is of a type that it cannot have, and does not throw',
    (field) => {
      for (const value of [7, true, 'x', ['x'], { x: 1 }]) {
        const problems = problemsOf({ ...header, [field]: value });
        expect(problems.every((problem) => problem.startsWith(field))).toBe(true);
      }
    },
  );
});

describe('virtualPodCIDRs', () => {
  const decode = (...virtualPodCIDRs: readonly string[]) =>
    decodeControllerConfig({
      apiVersion: 'multicluster.crd.antrea.io/v1alpha1',
      kind: 'MultiClusterConfig',
      virtualPodCIDRs,
    });

  it('are ranges in canonical form', () => {
    const decoded = decode('100.64.1.2/10', 'FD00:64::/40');
    expect(decoded.kind === 'valid' && decoded.config.virtualPodCIDRs).toEqual(['100.64.0.0/10', 'fd00:64::/40']);
  });

  it.each([
    ['overlap', ['100.64.0.0/10', '100.70.0.0/16'], 'it overlaps with 100.64.0.0/10'],
    ['have a special use', ['127.0.0.0/8'], 'it contains loopback addresses'],
  ])('cannot %s', (_, ranges, expected) => {
    const decoded = decode(...ranges);
    expect(decoded.kind === 'invalid' && decoded.problems.map(({ message }) => message).join()).toContain(expected);
  });
});
