import type { LabelSelectorObject } from '@isthmus/machinery';
import { containerCells, selectorText } from './cell-texts.ts';
import type { PodTemplateShape } from './cell-texts.ts';
import { defineColumns } from './define-columns.ts';
import { ageOf } from '../name-and-age.ts';

interface DeploymentShape {
  readonly spec?: {
    readonly replicas?: number;
    readonly selector?: LabelSelectorObject;
    readonly template?: PodTemplateShape;
  };
  readonly status?: {
    readonly readyReplicas?: number;
    readonly updatedReplicas?: number;
    readonly availableReplicas?: number;
  };
}

export const deploymentColumns = defineColumns<DeploymentShape>(
  {
    Name: 'name',
    Ready: 'string',
    'Up-to-date': 'string',
    Available: 'string',
    Age: 'string',
    Containers: 'wide',
    Images: 'wide',
    Selector: 'wide',
  },
  (object, now) => {
    const { spec = {}, status = {} } = object;
    return [
      object.metadata.name,
      `${status.readyReplicas ?? 0}/${spec.replicas ?? 0}`,
      status.updatedReplicas ?? 0,
      status.availableReplicas ?? 0,
      ageOf(object, now),
      ...containerCells(spec.template),
      selectorText(spec.selector),
    ];
  },
);
