import type { Transport } from '@isthmus/kube';
import { httpsTransport, noCredentials } from '@isthmus/kube';
import type { RealApiServer } from './api-server.ts';

/** The way in as the cluster's administrator, which the audit log shows under `userAgent`. */
export function adminTransport(
  { url, caData, admin }: Pick<RealApiServer, 'url' | 'caData' | 'admin'>,
  userAgent: string,
): Transport {
  return httpsTransport({
    server: url,
    caPem: caData,
    clientCertificate: { certPem: admin.certData, keyPem: admin.keyData },
    credentials: noCredentials(),
    userAgent,
  });
}
