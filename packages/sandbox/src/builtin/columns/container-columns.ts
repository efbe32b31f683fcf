import { valueAt } from '../selectable-fields.ts';
import type { Column } from './define-columns.ts';

type Containers = readonly { readonly name?: string; readonly image?: string }[];

/** The names and the images of the containers of the template at a path, as two columns. */
export function containerColumns(path: string, form: 'string' | 'wide') {
  const column = (part: 'name' | 'image'): Column => [
    form,
    (object) =>
      ((valueAt(object, `${path}.spec.containers`) ?? []) as Containers).map((one) => one[part] ?? '').join(','),
  ];
  return { Containers: column('name'), Images: column('image') };
}
