import { containerCells } from './cell-texts.ts';
import type { PodTemplateShape } from './cell-texts.ts';
import { defineColumns } from './define-columns.ts';
import { ageOf } from '../name-and-age.ts';

interface StatefulSetShape {
  readonly spec?: { readonly replicas?: number; readonly template?: PodTemplateShape };
  readonly status?: { readonly readyReplicas?: number };
}

export const statefulSetColumns = defineColumns<StatefulSetShape>(
  { Name: 'name', Ready: 'string', Age: 'string', Containers: 'wide', Images: 'wide' },
  (object, now) => {
    const { spec = {}, status = {} } = object;
    const ready = `${status.readyReplicas ?? 0}/${spec.replicas ?? 0}`;
    return [object.metadata.name, ready, ageOf(object, now), ...containerCells(spec.template)];
  },
);
