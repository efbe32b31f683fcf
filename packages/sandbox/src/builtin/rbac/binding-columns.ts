import { defineColumns } from '../columns/define-columns.ts';
import { ageOf } from '../name-and-age.ts';

interface BindingShape {
  readonly roleRef?: { readonly kind?: string; readonly name?: string };
  readonly subjects?: readonly Subject[];
}

interface Subject {
  readonly kind?: string;
  readonly name?: string;
  readonly namespace?: string;
}

/** The columns of RoleBindings and ClusterRoleBindings. */
export const bindingColumns = defineColumns<BindingShape>(
  { Name: 'name', Role: 'string', Age: 'string', Users: 'wide', Groups: 'wide', ServiceAccounts: 'wide' },
  (object, now) => {
    const { roleRef, subjects = [] } = object;
    const those = (kind: string) =>
      subjects
        .filter((subject) => subject.kind === kind)
        .map(subjectText)
        .join(', ');
    const role = `${roleRef?.kind ?? ''}/${roleRef?.name ?? ''}`;
    return [object.metadata.name, role, ageOf(object, now), those('User'), those('Group'), those('ServiceAccount')];
  },
);

function subjectText({ kind, name = '', namespace = '' }: Subject): string {
  return kind === 'ServiceAccount' && namespace !== '' ? `${namespace}/${name}` : name;
}
