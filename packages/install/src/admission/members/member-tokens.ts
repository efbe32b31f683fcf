import { ServiceAccount, memberAccountName } from '@isthmus/api';
import type { AdmissionRule } from '../admission-rule.ts';
import { isOfNamespace, mayExportPolicies } from '../caller.ts';

/** The life of a member's token. */
const mostSeconds = 24 * 3600;

/**
 * RBAC allows a member, and the holder of a join file, tokens of one account, for any time and
 * bound to anything. A token that is not bound to the Secret of the member would survive its
 * revocation.
 */
export const memberTokensRule: AdmissionRule = {
  name: 'member-tokens',
  docs: `Rejects TokenRequests by ServiceAccounts for tokens of \`member-<cluster ID>\`, except those of at most ${mostSeconds / 3600} hours that are bound to the Secret with the name of the ServiceAccount.`,
  types: [{ ...ServiceAccount, plural: `${ServiceAccount.plural}/token` }],
  operations: ['CREATE'],
  judges: (namespace) => `${isOfNamespace(namespace)} && request.name.startsWith('${memberAccountName('')}')`,
  requires: (namespace) => {
    const ofOthers = (rule: string) => [mayExportPolicies(namespace), rule].join(' || ');
    return [
      {
        expression: ofOthers(
          "object.spec.?boundObjectRef.?kind.orValue('') == 'Secret' && object.spec.?boundObjectRef.?name.orValue('') == request.name",
        ),
        message:
          'the token of a member must be bound to the Secret with the name of its ServiceAccount, so that the deletion of the Secret ends it. Set spec.boundObjectRef',
      },
      {
        expression: ofOthers(`object.spec.?expirationSeconds.orValue(0) <= ${mostSeconds}`),
        message: `the token of a member is valid for at most ${mostSeconds} seconds. Set spec.expirationSeconds`,
      },
    ];
  },
};
