import { describe, expect, test } from 'vitest';
import { UsageError } from '../command/usage-error.ts';
import { readAntreaConfig } from './antrea-config.ts';

const source = '/etc/antrea/antrea-agent.conf';
const read = (text: string) => readAntreaConfig(text, source);

describe("the block multicluster of the configuration of Antrea's agent", () => {
  test('sets the Namespace, the encryption and the port of WireGuard', () => {
    const text = `
featureGates: {Multicluster: true}
trafficEncryptionMode: ipsec
wireGuard: {port: 51820}
multicluster:
  enableGateway: true
  namespace: antrea-multicluster
  enableStretchedNetworkPolicy: false
  enablePodToPodConnectivity: true
  trafficEncryptionMode: "wireguard"
  wireGuard:
    port: 51900
`;
    expect(read(text)).toEqual({
      namespace: 'antrea-multicluster',
      trafficEncryptionMode: 'wireGuard',
      wireGuardPort: 51_900,
      enableStretchedNetworkPolicy: false,
      ignored: [],
    });
  });

  test.each([
    ['', {}],
    ['# Comments only\n', {}],
    ['featureGates: {}\n', {}],
    ['multicluster:\n', {}],
    ['multicluster: {namespace: "", wireGuard: {port: }}\n', {}],
  ])('sets nothing where it is empty: %j', (text, settings) => {
    expect(read(text)).toEqual({ ...settings, ignored: [] });
  });

  test('turns the numbers of labels and the policies about imported Services on', () => {
    expect(read('multicluster: {enableStretchedNetworkPolicy: true}')).toEqual({
      enableStretchedNetworkPolicy: true,
      ignored: [],
    });
  });

  test('has options without effect, each reported with the reason', () => {
    const text =
      'multicluster: {enableGateway: false, enable: false, enablePodToPodConnectivity: false, wireGuard: {mtu: 1400}, color: blue}';
    expect(read(text).ignored).toEqual([
      'multicluster.enableGateway is false, but this agent carries packets whenever it runs',
      'multicluster.enable is false, but this agent carries packets whenever it runs',
      'multicluster.enablePodToPodConnectivity is false, but Pods of other clusters can always be reached',
      'multicluster.wireGuard.mtu is not an option that this agent knows',
      'multicluster.color is not an option that this agent knows',
    ]);
  });

  test.each([
    ['multicluster: [1]', 'multicluster must be a mapping of options'],
    ['- 1', "is not a configuration of Antrea's agent"],
    ['multicluster: {trafficEncryptionMode: ipsec}', '"ipsec". It must be none or wireGuard'],
    ['multicluster: {enableStretchedNetworkPolicy: maybe}', '"maybe". It must be true or false'],
    ['multicluster: {wireGuard: 51821}', 'multicluster.wireGuard must be a mapping'],
    ['multicluster: {wireGuard: {port: 0}}', 'port is 0. It must be a number from 1 to 65535'],
    ['multicluster: {wireGuard: {port: 65536}}', 'port is 65536. It must be a number from 1 to 65535'],
    ['multicluster: {wireGuard: {port: 1.5}}', 'port is 1.5. It must be a number from 1 to 65535'],
    ['multicluster: {wireGuard: {port: "51821"}}', 'port is "51821". It must be a number'],
    ['multicluster: {namespace: 7}', 'multicluster.namespace is 7. It must be a string'],
    ['multicluster: {', 'cannot read /etc/antrea/antrea-agent.conf'],
  ])('is rejected where a value is not valid: %s', (text, message) => {
    expect(() => read(text)).toThrow(UsageError);
    expect(() => read(text)).toThrow(message);
  });
});
