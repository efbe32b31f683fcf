import { afterAll, beforeAll, describe, it } from 'vitest';
import { begin, end, etcd, keepsAll, restored } from './testing/loss-story.ts';

/** One of the losses of `losses.envtest.test.ts`: only a real etcd can show it. */
beforeAll(begin);
afterAll(end);

describe('30 of 30 imports keep uid, ClusterIP and endpoints on a real API server', () => {
  it('after the leader was restored from a backup of its etcd of before most exports', (context) =>
    keepsAll(context, { lose: () => etcd(restored) }));
});
