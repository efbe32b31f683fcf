import type { Exchange } from '../define-exchange.ts';
import { clusterInfoExchange } from './cluster-info/exchange.ts';
import { labelIdentityExchange } from './label-identity/exchange.ts';
import { policyExchange } from './policy/exchange.ts';
import { serviceExchange } from './service/exchange.ts';

/** Everything that the clusters of a ClusterSet exchange. */
export const exchanges: readonly Exchange[] = [
  serviceExchange,
  clusterInfoExchange,
  policyExchange,
  labelIdentityExchange,
];
