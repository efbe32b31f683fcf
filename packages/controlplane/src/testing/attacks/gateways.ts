import type { ClusterInfo } from '@isthmus/api';
import type { Attack, Attacker, Family } from './attack.ts';
import { announce } from './as-antrea.ts';
import { importer, leader, third } from './facts.ts';
import { beyondGrant, onImport, onNetwork, onNetworkAnswer } from './reports.ts';

const beside = ({ gateway }: Attacker, ...others: readonly string[]) =>
  [gateway, ...others].map((gatewayIP) => ({ gatewayIP }));

const lists = (name: string, ...addresses: readonly string[]): Attack => ({
  name: `announces as its gateway ${name}`,
  course: (attacker) => ({
    writes: [announce(attacker, { gatewayInfos: beside(attacker, ...addresses) })],
    reports: addresses.slice(0, 2).flatMap((one) => beyondGrant(attacker, one)),
  }),
});

/** An administrator has not limited the gateways of the cluster. */
const anyGateway = { gateways: undefined };

const taken = (name: string, changed: (attacker: Attacker) => ClusterInfo, says: string): Attack => ({
  name: `takes ${name}`,
  grant: anyGateway,
  course: (attacker) => ({
    writes: [announce(attacker, changed(attacker))],
    reports: [
      onNetwork(attacker.id, 'exporter', 'GatewayTaken', says),
      onNetwork(third.id, 'third', 'GatewayTaken', attacker.id),
      onImport(attacker.id, 'GatewayTaken', says),
    ],
  }),
});

const unusable = (name: string, ...texts: readonly string[]): Attack => ({
  name: `announces as its gateway ${name}`,
  course: (attacker) => ({
    writes: [announce(attacker, { gatewayInfos: beside(attacker, ...texts) })],
    reports: [onNetworkAnswer(attacker, `Left out: gatewayInfos[1].gatewayIP`)],
  }),
});

/** Gateways and keys. */
export const gateways: Family = {
  name: 'gateways',
  attacks: [
    lists('that of another cluster', third.gateway),
    lists('an address that is not granted', '198.51.100.66'),
    lists('a Node of the importer', importer.node),
    lists('a Node of the leader', leader.node),
    lists('more addresses than are read', ...Array.from({ length: 100 }, (_, at) => `198.51.100.${100 + at}`)),
    taken(
      'the address of the gateway of another cluster',
      (attacker) => ({ gatewayInfos: beside(attacker, third.gateway) }),
      third.gateway,
    ),
    taken(
      'the tunnel address of the gateway of another cluster',
      (attacker) => ({ gatewayInfos: beside(attacker, '2001:db8:bad:0:1:0:4576:2be6') }),
      third.gateway6,
    ),
    taken('the WireGuard key of another cluster', () => ({ wireGuard: { publicKey: third.key } }), third.id),
    taken(
      'the WireGuard key of another cluster for a further gateway',
      ({ gateway }) => ({
        gatewayInfos: [{ gatewayIP: gateway }, { gatewayIP: '198.51.100.67', publicKey: third.key }],
      }),
      third.id,
    ),
    unusable('special addresses', '127.0.0.1', '169.254.169.254', '224.0.0.1', '0.0.0.0', '::1'),
    unusable('texts that are not addresses', 'gateway.evil.example', '192.0.2.2; reboot', '192.0.2.02'),
  ],
};
