import type { Service as ServiceObject } from '@isthmus/api';
import { Service } from '@isthmus/api';
import { createVirtualClock } from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';
import { createSandbox } from '../../sandbox.ts';

const service = (name: string, spec: object): ServiceObject => ({
  metadata: { name, namespace: 'default' },
  spec: { ports: [{ port: 80 }], ...spec },
});

const address = { clusterIP: '10.96.0.77' };
const port = { type: 'NodePort', ports: [{ port: 80, nodePort: 30_077 }] };

describe('what one Service has', () => {
  it.each([
    ['a ClusterIP', address, 'provided IP is already allocated'],
    ['a node port', port, 'provided port is already allocated'],
  ])('%s: another one gets it when the Service is deleted, and not before', (_, spec, why) => {
    const { admin } = createSandbox({ name: 'east', clock: createVirtualClock({ startMs: 0 }) });
    admin.put(Service, service('a', spec));
    const other = () => admin.put(Service, service('b', spec));
    expect(other).toThrow(why);
    // A Service does not conflict with its own address.
    expect(admin.put(Service, service('a', spec))).toMatchObject({ spec });
    admin.delete(Service, { namespace: 'default', name: 'a' });
    expect(other()).toMatchObject({ spec });
  });

  it('a node port is free when the Service gives it up, and taken again by the next that asks for it', () => {
    const { admin } = createSandbox({ name: 'east', clock: createVirtualClock({ startMs: 0 }) });
    admin.put(Service, service('a', port));
    admin.put(Service, service('a', { type: 'ClusterIP' }));
    expect(admin.put(Service, service('b', port))).toMatchObject({ spec: port });
    expect(() => admin.put(Service, service('a', port))).toThrow('provided port is already allocated');
  });
});
