import type { ServicePort } from '@isthmus/api';
import type { RealFleet } from '@isthmus/testkit';
import { controllersAsProcesses, startRealFleet } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/**
 * The command itself, one process per controller, as its ServiceAccount; one cluster has two of
 * them.
 */
let fleet: RealFleet;

const ref = { namespace: 'shop', name: 'cart' };
const http: readonly ServicePort[] = [{ name: 'http', protocol: 'TCP', port: 80, targetPort: 8080 }];

beforeAll(async () => {
  fleet = await startRealFleet({
    clusters: { north: 'leader+member', west: 'member' },
    controllers: controllersAsProcesses,
    endpointIPType: 'PodIP',
  });
  const [north, west] = [fleet.cluster('north'), fleet.cluster('west')];
  await Promise.all([north.user.namespace(ref.namespace), west.user.namespace(ref.namespace)]);
});
afterAll(() => fleet?.[Symbol.asyncDispose]());

describe('members as processes, with endpointIPType PodIP in their config file', () => {
  it('join the ClusterSet', async () => {
    for (const name of ['north', 'west']) {
      await fleet.eventually(`${name} has joined`, () => fleet.cluster(name).view.clusterSet(), 'True Connected');
    }
  });

  it('export a Service with the addresses of its Pods, and import it', async () => {
    const west = fleet.cluster('west');
    await west.user.service(ref, { selector: { app: 'cart' }, ports: http });
    await west.user.pod({ ...ref, name: 'cart-1' }, { app: 'cart', ip: '10.20.1.5' });
    await west.user.export(ref);
    await fleet.eventually('it is exported', () => west.view.exported(ref, 'Ready'), 'True Exported');
    for (const name of ['north', 'west']) {
      const { view } = fleet.cluster(name);
      await fleet.eventually(`${name} imports it`, () => view.slices(ref), ['west: 10.20.1.5 http:8080']);
      await fleet.eventually(`${name} names its port`, () => view.importedPorts(ref), ['http TCP 80']);
    }
  });

  it('report on a ServiceExport what is wrong with it', async () => {
    const west = fleet.cluster('west');
    await west.user.export({ ...ref, name: 'missing' });
    await fleet.eventually(
      'the ServiceExport says so',
      () => west.view.exported({ ...ref, name: 'missing' }, 'Valid'),
      'False NoService',
    );
  });

  it('withdraw it, and end in good order when a signal stops them', async () => {
    const [north, west] = [fleet.cluster('north'), fleet.cluster('west')];
    await west.user.unexport(ref);
    await fleet.eventually('north has nothing left of it', () => north.view.importedIP(ref), undefined);
    await west.stop();
    expect(west.output.join('\n')).toContain('"message":"stopped"');
  });
});
