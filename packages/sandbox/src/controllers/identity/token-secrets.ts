import { Annotation, Secret, ServiceAccount, serviceAccountTokenType } from '@isthmus/api';
import type { Reconciler } from '@isthmus/kube';
import { defineReconciler, done, from } from '@isthmus/kube';
import { keyOfObject } from '@isthmus/machinery';
import type { SharedCaches } from '../shared-caches.ts';

/** Makes a token that the API server accepts as long as the account and the Secret exist. */
export type MintToken = (account: ServiceAccount, secret: Secret) => string | Promise<string>;

export interface TokenSecretOptions {
  readonly mintToken: MintToken;
  /** PEM. */
  readonly caData: string;
}

const accountUid = 'kubernetes.io/service-account.uid';

/**
 * Fills Secrets of type `kubernetes.io/service-account-token` with a token, the authority's
 * certificate and the Namespace. Deletes those whose ServiceAccount is gone, or was replaced by
 * another one of the same name.
 */
export function tokenSecretController(caches: SharedCaches, { mintToken, caData }: TokenSecretOptions): Reconciler {
  const accounts = caches.of(ServiceAccount);
  const secrets = caches.of(Secret);
  const secretsOf = ({ metadata }: ServiceAccount) =>
    secrets.cache
      .list(metadata.namespace)
      .filter((secret) => accountNameOf(secret) === metadata.name)
      .map(keyOfObject);
  return defineReconciler({
    name: 'service-account-token',
    sources: [
      from(secrets.cache, (secret) => (accountNameOf(secret) === undefined ? [] : [keyOfObject(secret)])),
      from(accounts.cache, secretsOf),
    ],
    access: [
      { at: 'local', type: ServiceAccount, scope: 'all', verbs: ['get', 'list', 'watch'] },
      { at: 'local', type: Secret, scope: 'all', verbs: ['list', 'watch', 'patch', 'delete'] },
    ],
    async reconcile(key, { signal }) {
      const secret = secrets.cache.getByKey(key);
      const name = secret && accountNameOf(secret);
      if (secret === undefined || name === undefined || secret.metadata.deletionTimestamp !== undefined) return done;
      const { namespace = '', annotations = {} } = secret.metadata;
      const account = accounts.cache.get({ namespace, name });
      const wantedUid = annotations[accountUid];
      if (account === undefined || (wantedUid !== undefined && wantedUid !== account.metadata.uid)) {
        await secrets.delete(secret, signal);
        return done;
      }
      const had = secret.data ?? {};
      const data = {
        ...had,
        'ca.crt': encoded(caData),
        namespace: encoded(namespace),
        token: had['token'] ?? encoded(await mintToken(account, secret)),
      };
      const metadata = {
        ...secret.metadata,
        annotations: { ...annotations, [accountUid]: account.metadata.uid ?? '' },
      };
      await secrets.change(secret, { ...secret, metadata, data }, signal);
      return done;
    },
  });
}

function accountNameOf({ type, metadata }: Secret): string | undefined {
  if (type !== serviceAccountTokenType) return undefined;
  const name = metadata.annotations?.[Annotation.serviceAccountName] ?? '';
  return name === '' ? undefined : name;
}

function encoded(text: string): string {
  return Buffer.from(text).toString('base64');
}
