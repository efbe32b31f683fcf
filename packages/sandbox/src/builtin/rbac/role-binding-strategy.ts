import { dns1123SubdomainErrors, equal } from '@isthmus/machinery';
import type { FieldError } from '@isthmus/schema';
import type { Stored } from '../../store/stored.ts';
import type { Strategy } from '../../strategy/strategy.ts';
import { pathSegmentName } from '../define.ts';
import { compact, invalid, notSupported, required } from '../field-rules.ts';

const group = 'rbac.authorization.k8s.io';

/** The strategy of RoleBindings and ClusterRoleBindings. */
export function roleBindingStrategy(namespaced: boolean): Partial<Strategy> {
  const errors = (object: Stored) => bindingErrors(object, namespaced);
  return {
    nameProblems: pathSegmentName,
    createOnUpdate: true,
    defaults: withGroups,
    validate: errors,
    validateUpdate: (object, before) => [
      ...errors(object),
      ...(equal(object['roleRef'], before['roleRef'])
        ? []
        : [invalid('roleRef', shownRef(object), 'cannot change roleRef')]),
    ],
  };
}

interface Ref {
  readonly apiGroup?: string | undefined;
  readonly kind?: string | undefined;
  readonly name?: string | undefined;
  readonly namespace?: string | undefined;
}

/** The reference as Go prints it. */
function shownRef(object: Stored): unknown {
  const { apiGroup, kind, name } = object['roleRef'] as Ref;
  return { toJSON: () => ({ APIGroup: apiGroup, Kind: kind, Name: name }) };
}

function withGroups(object: Stored): Stored {
  const { roleRef = {}, subjects } = object as Stored & { readonly roleRef?: Ref; readonly subjects?: readonly Ref[] };
  return compact({
    ...object,
    roleRef: { ...roleRef, apiGroup: roleRef.apiGroup || group },
    subjects: subjects?.map((subject) =>
      (subject.apiGroup ?? '') === '' && (subject.kind === 'User' || subject.kind === 'Group')
        ? { ...subject, apiGroup: group }
        : subject,
    ),
  });
}

function bindingErrors(object: Stored, namespaced: boolean): readonly FieldError[] {
  const { roleRef = {}, subjects = [] } = object as Stored & {
    readonly roleRef?: Ref;
    readonly subjects?: readonly Ref[];
  };
  const { apiGroup = '', kind = '', name = '' } = roleRef;
  const kinds = namespaced ? ['Role', 'ClusterRole'] : ['ClusterRole'];
  return [
    ...(apiGroup === group ? [] : [notSupported('roleRef.apiGroup', apiGroup, [group])]),
    ...(kinds.includes(kind) ? [] : [notSupported('roleRef.kind', kind, kinds)]),
    ...(name === ''
      ? [required('roleRef.name')]
      : pathSegmentName(name, false).map((why) => invalid('roleRef.name', name, why))),
    ...subjects.flatMap((subject, index) => subjectErrors(subject, `subjects[${index}]`, namespaced)),
  ];
}

function subjectErrors(
  { apiGroup = '', kind = '', name = '', namespace = '' }: Ref,
  path: string,
  namespaced: boolean,
): readonly FieldError[] {
  const errors: FieldError[] = name === '' ? [required(`${path}.name`)] : [];
  switch (kind) {
    case 'ServiceAccount':
      if (name !== '') errors.push(...dns1123SubdomainErrors(name).map((why) => invalid(`${path}.name`, name, why)));
      if (apiGroup !== '') errors.push(notSupported(`${path}.apiGroup`, apiGroup, ['']));
      if (!namespaced && namespace === '') errors.push(required(`${path}.namespace`));
      return errors;
    case 'User':
    case 'Group':
      return apiGroup === group ? errors : [...errors, notSupported(`${path}.apiGroup`, apiGroup, [group])];
    default:
      return [...errors, notSupported(`${path}.kind`, kind, ['ServiceAccount', 'User', 'Group'])];
  }
}
