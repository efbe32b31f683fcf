import type { memberClusterSetStatus } from '@isthmus/api';
import type { Verdicts } from '@isthmus/wire';
import type { SessionSpec } from '../../own-cluster/session-spec.ts';
import type { TokenProblem } from '../../own-cluster/session-state.ts';
import type { Membership } from '../membership.ts';
import { readToken } from './read-token.ts';
import { grantCommand } from './token-advice.ts';

export interface TokenVerdictsInput {
  readonly membership: Membership;
  /** Why the token will expire; undefined: it is renewed in time. */
  readonly tokenProblem?: TokenProblem | undefined;
  /** Whether the leader runs Isthmus, which can issue tokens that expire. */
  readonly leaderAnswers?: boolean | undefined;
}

type TokenVerdicts = Verdicts<typeof memberClusterSetStatus>;

/** Reports a token that never expires, and one that will. */
export function tokenVerdicts(input: TokenVerdictsInput): TokenVerdicts {
  const { membership, tokenProblem } = input;
  if (membership.kind !== 'joined') return { TokenDoesNotExpire: 'absent', TokenExpires: 'absent' };
  const { spec } = membership;
  if (tokenProblem === undefined) return { TokenDoesNotExpire: foreverVerdict(spec, input), TokenExpires: 'absent' };
  const { expires, why } = tokenProblem;
  const message = `The token for leader ${spec.leaderClusterID} expires at ${expires}, and cannot be renewed: ${why}. It is tried again every few minutes. If that does not help, ${grantCommand(spec)}.`;
  return { TokenDoesNotExpire: 'absent', TokenExpires: { status: 'True', reason: 'RenewalFailed', message } };
}

function foreverVerdict(spec: SessionSpec, { leaderAnswers }: TokenVerdictsInput): TokenVerdicts['TokenDoesNotExpire'] {
  const facts = readToken(spec.token);
  if (facts === undefined || facts.life !== undefined || leaderAnswers === false) return 'absent';
  if (leaderAnswers === undefined) return undefined;
  const { leaderClusterID, clusterID, leaderNamespace } = spec;
  const message = `The token for leader ${leaderClusterID} does not expire. To change to one that expires after 24 hours and is renewed, run there: isthmus revoke ${clusterID} -n ${leaderNamespace}. Then ${grantCommand(spec)}. Until the file is applied, this cluster is not connected, and keeps its imports.`;
  return { status: 'True', reason: 'TokenOfSecret', message };
}
