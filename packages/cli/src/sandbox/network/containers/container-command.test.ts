import { describe, expect, test } from 'vitest';
import { containerCommand } from './container-command.ts';

const pod = {
  cluster: 'east',
  namespace: 'shop',
  name: 'cart-1',
  uid: 'u',
  node: 'east-1',
  podIP: '10.2.1.2',
  serviceAccount: 'default',
  labels: { app: 'cart' },
};
const world = { ownCommand: ['node', 'main.ts'], path: '/bin' } as const;

describe('the command of a container', () => {
  test('is its command with its args, in an environment of its own', () => {
    const env = [
      { name: 'COLOUR', value: 'red' },
      { name: 'IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
      { name: 'IPS', valueFrom: { fieldRef: { fieldPath: 'status.podIPs' } } },
      { name: 'APP', valueFrom: { fieldRef: { fieldPath: "metadata.labels['app']" } } },
      { name: 'CPU', valueFrom: { fieldRef: { fieldPath: 'limits.cpu' } } },
    ];
    expect(containerCommand({ name: 'app', command: ['sleep'], args: ['9'], env }, pod, world)).toEqual({
      command: ['sleep', '9'],
      env: { PATH: '/bin', HOME: '/', HOSTNAME: 'cart-1', COLOUR: 'red', IP: '10.2.1.2', IPS: '10.2.1.2', APP: 'cart' },
      isOurs: false,
    });
  });

  test('is a server on its ports where it names none', () => {
    const ports = [{ containerPort: 80 }, { containerPort: 53, protocol: 'UDP' as const }];
    expect(containerCommand({ name: 'app', ports }, pod, world)).toMatchObject({
      command: ['node', 'main.ts', '__sandbox-pod', 'east/shop/cart-1', 'TCP:80', 'UDP:53'],
      isOurs: true,
    });
    expect(containerCommand({ name: 'app' }, pod, world).command.slice(-2)).toEqual(['TCP:8080', 'UDP:8080']);
  });
});
