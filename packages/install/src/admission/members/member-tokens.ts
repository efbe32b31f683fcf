import { ServiceAccount } from '@isthmus/api';
import type { AdmissionRule } from '../admission-rule.ts';
import { isController, isNoMember, isOfNamespace } from '../caller.ts';

/** The life of a member's token. */
const mostSeconds = 24 * 3600;

/**
 * RBAC allows a member tokens of its own account, for any time and bound to anything. A token that
 * is not bound to the Secret of the member would survive its revocation.
 */
export const memberTokensRule: AdmissionRule = {
  name: 'member-tokens',
  docs: `Rejects TokenRequests of a ServiceAccount with the Role of members, except for its own token of at most ${mostSeconds / 3600} hours that is bound to the Secret with the name of the ServiceAccount.`,
  types: [{ ...ServiceAccount, plural: `${ServiceAccount.plural}/token` }],
  operations: ['CREATE'],
  judges: (namespace) => `${isOfNamespace(namespace)} && !(${isController(namespace)})`,
  requires: (namespace) => {
    const ofOthers = (rule: string) => [isNoMember(namespace), rule].join(' || ');
    return [
      {
        expression: ofOthers(`request.userInfo.username == 'system:serviceaccount:${namespace}:' + request.name`),
        message: 'a member asks for tokens of its own ServiceAccount only',
      },
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
