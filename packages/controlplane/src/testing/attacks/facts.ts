import { FixedName } from '@isthmus/api';

/** The clusters that are attacked, as an administrator set them up. */
export const leader = {
  id: 'north',
  namespace: FixedName.leaderNamespace,
  services: '10.96.0.0/16',
  apiServer: '10.96.0.1',
  node: '192.0.2.30',
} as const;

export const importer = {
  id: 'east',
  namespace: FixedName.memberNamespace,
  services: '10.97.0.0/16',
  pods: '10.10.0.0/16',
  gateway: '192.0.2.1',
  apiServer: '10.97.0.1',
  service: '10.97.7.7',
  node: '192.0.2.17',
  nodePods: '10.244.7.0/24',
  pod: '10.244.7.9',
} as const;

/** A cluster that exports Services, and imports those of others. */
export const third = {
  id: 'west',
  namespace: FixedName.memberNamespace,
  services: '10.98.0.0/16',
  pods: '10.20.0.0/16',
  gateway: '192.0.2.2',
  gateway6: '2001:db8:3::11',
  key: `${'A'.repeat(42)}E=`,
  service: '10.98.7.7',
  pod: '10.20.1.1',
} as const;

/** The network of all Nodes. */
export const nodes = '192.0.2.0/24';
export const shop = 'shop';
