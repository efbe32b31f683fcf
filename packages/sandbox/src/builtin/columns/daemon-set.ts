import type { LabelSelectorObject } from '@isthmus/machinery';
import { containerCells, labelsText, selectorText } from './cell-texts.ts';
import type { PodTemplateShape } from './cell-texts.ts';
import { defineColumns } from './define-columns.ts';
import { ageOf } from '../name-and-age.ts';

interface DaemonSetShape {
  readonly spec?: { readonly selector?: LabelSelectorObject; readonly template?: PodTemplateShape };
  readonly status?: Readonly<Record<string, number>>;
}

export const daemonSetColumns = defineColumns<DaemonSetShape>(
  {
    Name: 'name',
    Desired: 'integer',
    Current: 'integer',
    Ready: 'integer',
    'Up-to-date': 'integer',
    Available: 'integer',
    'Node Selector': 'string',
    Age: 'string',
    Containers: 'wide',
    Images: 'wide',
    Selector: 'wide',
  },
  (object, now) => {
    const { spec = {}, status = {} } = object;
    return [
      object.metadata.name,
      status['desiredNumberScheduled'] ?? 0,
      status['currentNumberScheduled'] ?? 0,
      status['numberReady'] ?? 0,
      status['updatedNumberScheduled'] ?? 0,
      status['numberAvailable'] ?? 0,
      labelsText(spec.template?.spec?.nodeSelector),
      ageOf(object, now),
      ...containerCells(spec.template),
      selectorText(spec.selector),
    ];
  },
);
