import { describe, expect, it } from 'vitest';
import { UsageError } from '../command/usage-error.ts';
import { madeUpIo } from '../testing/made-up-io.ts';
import { runDns } from './run-dns.ts';

const kubeconfig = `
apiVersion: v1
kind: Config
current-context: it
clusters: [{ name: it, cluster: { server: 'https://192.0.2.1:6443' } }]
users: [{ name: it, user: {} }]
contexts: [{ name: it, context: { cluster: it, user: it } }]
`;
const accepted = 'cannot read ca.crt: no such file';

describe('isthmus dns', () => {
  it.each([
    ['shutdown-delay', -1, '--shutdown-delay is -1. It must be a number from 0 to 3600.'],
    ['shutdown-delay', 0, accepted],
    ['shutdown-delay', 3_600, accepted],
    ['shutdown-delay', 3_601, '--shutdown-delay is 3601. It must be a number from 0 to 3600.'],
    ['zone', 'Example.Org.', accepted],
    ['zone', 'example..org', /^--zone is "example\.\.org", which is not a valid name of a zone: /],
    ['zone', '', /^--zone is "", which is not a valid name of a zone: /],
    ['bind-address', ':53', accepted],
    ['bind-address', '0', /^--bind-address/],
    ['bind-address', ':65536', /^--bind-address/],
  ])('takes --%s %j, or rejects it before it connects: %s', async (flag, value, message) => {
    const io = madeUpIo({ files: { kubeconfig } });
    const network = { ...io.network, connect: () => Promise.reject(new Error(accepted)) };
    const flags = { kubeconfig: 'kubeconfig', [flag]: value } as unknown as Parameters<typeof runDns>[1];
    const running = runDns({ ...io, network }, flags);
    await expect(running).rejects.toThrow(UsageError);
    await expect(running).rejects.toThrow(message);
  });
});
