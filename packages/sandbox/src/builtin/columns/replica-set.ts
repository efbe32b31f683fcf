import type { LabelSelectorObject } from '@isthmus/machinery';
import { containerCells, selectorText } from './cell-texts.ts';
import type { PodTemplateShape } from './cell-texts.ts';
import { defineColumns } from './define-columns.ts';
import { ageOf } from '../name-and-age.ts';

interface ReplicaSetShape {
  readonly spec?: {
    readonly replicas?: number;
    readonly selector?: LabelSelectorObject;
    readonly template?: PodTemplateShape;
  };
  readonly status?: { readonly replicas?: number; readonly readyReplicas?: number };
}

export const replicaSetColumns = defineColumns<ReplicaSetShape>(
  {
    Name: 'name',
    Desired: 'integer',
    Current: 'integer',
    Ready: 'integer',
    Age: 'string',
    Containers: 'wide',
    Images: 'wide',
    Selector: 'wide',
  },
  (object, now) => {
    const { spec = {}, status = {} } = object;
    return [
      object.metadata.name,
      spec.replicas ?? 0,
      status.replicas ?? 0,
      status.readyReplicas ?? 0,
      ageOf(object, now),
      ...containerCells(spec.template),
      selectorText(spec.selector),
    ];
  },
);
