import { ResourceImport } from '@isthmus/api';
import type { SessionSpec } from '@isthmus/controlplane';
import type { HttpsTransportOptions } from '@isthmus/kube';
import { httpsTransport, noLog, noMetrics } from '@isthmus/kube';
import { describe, expect, it } from 'vitest';
import { madeUpIo, nobody } from '../testing/made-up-io.ts';
import { leaderClient } from './leader-client.ts';

const spec: SessionSpec = {
  clusterSet: 'set',
  clusterID: 'east',
  leaderClusterID: 'north',
  server: 'https://192.0.2.1:6443',
  namespace: 'kube-system',
  leaderNamespace: 'antrea-multicluster',
  secret: 'leader-token',
  caPem: '-----BEGIN CERTIFICATE-----\nno certificate\n-----END CERTIFICATE-----\n',
  token: 'a-token',
};
const io = madeUpIo();
const world = { clock: io.clock, random: io.random, log: noLog, metrics: noMetrics };
const userAgent = 'isthmus-member/1';
const options = { token: () => spec.token, network: { ...io.network, dial: httpsTransport }, userAgent, world };

describe('the client to the leader', () => {
  it('dials what the ClusterSet and its Secret name', async () => {
    const dialled: HttpsTransportOptions[] = [];
    const dial = (options: HttpsTransportOptions) => {
      dialled.push(options);
      return nobody;
    };
    leaderClient(spec, { token: () => spec.token, network: { ...io.network, dial }, userAgent, world });
    const [{ credentials, ...rest } = {}] = dialled;
    expect(rest).toEqual({ server: spec.server, caPem: spec.caPem, userAgent });
    expect(await credentials?.authorization(new AbortController().signal)).toBe('Bearer a-token');
  });

  it.each([
    [
      'a certificate authority that is none',
      { ...spec, caPem: 'garbage' },
      'the certificate authority contains no PEM certificate',
    ],
    ['a damaged certificate authority', spec, 'the certificate authority contains'],
    ['an address with a password', { ...spec, server: 'https://me:pass@192.0.2.1' }, 'contains a user or password'],
  ])('fails in its calls, not when it is made, with %s', async (_what, wrong, message) => {
    const client = leaderClient(wrong, options);
    const listing = client.list(ResourceImport, { namespace: 'antrea-multicluster' });
    await expect(listing).rejects.toThrow(message);
    await expect(listing).rejects.not.toThrow('pass@');
    client.close();
  });

  it.each(['garbage', spec.caPem])(
    'fails as TLS does with %j as certificate authority, so that the Secret is named',
    async (caPem) => {
      const client = leaderClient({ ...spec, caPem }, options);
      const error = await client.list(ResourceImport).catch((failure: unknown) => failure);
      expect(error).toMatchObject({ name: 'ConnectionError', kind: 'tls' });
      client.close();
    },
  );
});
