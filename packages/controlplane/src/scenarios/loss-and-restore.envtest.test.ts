import { afterAll, beforeAll, describe, it } from 'vitest';
import { applyLeaderDefinitions, begin, end, etcd, keepsAll, north, pause, restored } from './testing/loss-story.ts';

/** Two of the losses that `losses.envtest.test.ts` has: those that only a real API server and a real etcd can show. */
beforeAll(() => begin({ pace: 4 }));
afterAll(end);

describe('30 of 30 imports keep uid, ClusterIP and endpoints on a real API server', () => {
  it('without the resource definition of ResourceExports, until it is applied again', (context) =>
    keepsAll(context, {
      lose: () => north().shell('kubectl delete crd resourceexports.multicluster.crd.antrea.io'),
      meanwhile: pause(5_000),
      cure: applyLeaderDefinitions,
    }));

  it('after the leader was restored from a backup of its etcd of before most exports', (context) =>
    keepsAll(context, { lose: () => etcd(restored) }));
});
