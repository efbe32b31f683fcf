import { equal } from '@isthmus/machinery';
import type { Stored } from '../../store/stored.ts';
import { none, unset } from '../columns/cell-texts.ts';
import { ageColumn, defineColumns, nameColumn } from '../columns/define-columns.ts';
import { nameAndCreation } from '../name-and-age.ts';
import { lengthAt } from '../selectable-fields.ts';
import { defineShaped } from './define-shaped.ts';

const group = 'storage.k8s.io';

export const storageClass = defineShaped({
  group,
  kind: 'StorageClass',
  plural: 'storageclasses',
  namespaced: false,
  shortNames: ['sc'],
  hasStatus: false,
  fixed: ['parameters', 'provisioner', 'reclaimPolicy', 'volumeBindingMode'],
  strategy: { deleteReturnsObject: true },
  defaults: { reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' },
  columns: defineColumns({
    Name: ['name', classText],
    Provisioner: ['string', 'provisioner'],
    ReclaimPolicy: ['string', 'reclaimPolicy', 'Delete'],
    VolumeBindingMode: ['string', 'volumeBindingMode', 'Immediate'],
    AllowVolumeExpansion: ['string', 'allowVolumeExpansion', false],
    Age: ageColumn,
  }),
});

function classText({ metadata }: Stored): string {
  const isDefault = [
    'storageclass.kubernetes.io/is-default-class',
    'storageclass.beta.kubernetes.io/is-default-class',
  ].some((key) => metadata.annotations?.[key] === 'true');
  return isDefault ? `${metadata.name} (default)` : metadata.name;
}

export const volumeAttributesClass = defineShaped({
  group,
  kind: 'VolumeAttributesClass',
  plural: 'volumeattributesclasses',
  namespaced: false,
  shortNames: ['vac'],
  hasStatus: false,
  fixed: ['driverName', 'parameters'],
  strategy: { deleteReturnsObject: true },
  columns: defineColumns({ Name: nameColumn, DriverName: ['string', 'driverName'], Age: ageColumn }),
});

export const volumeAttachment = defineShaped({
  group,
  kind: 'VolumeAttachment',
  plural: 'volumeattachments',
  namespaced: false,
  fixed: ['spec'],
  strategy: { deleteReturnsObject: true, unconditionalUpdate: false },
  columns: defineColumns({
    Name: nameColumn,
    Attacher: ['name', 'spec.attacher'],
    PV: ['string', 'spec.source.persistentVolumeName'],
    Node: ['string', 'spec.nodeName'],
    Attached: ['boolean', 'status.attached'],
    Age: ageColumn,
  }),
});

interface DriverShape {
  readonly spec?: {
    readonly volumeLifecycleModes?: readonly string[];
    readonly tokenRequests?: readonly { readonly audience?: string }[];
  };
}

export const csiDriver = defineShaped({
  group,
  kind: 'CSIDriver',
  plural: 'csidrivers',
  namespaced: false,
  hasStatus: false,
  fixed: ['spec.attachRequired', 'spec.volumeLifecycleModes'],
  strategy: {
    deleteReturnsObject: true,
    unconditionalUpdate: false,
    // The first change is the first generation.
    prepareForUpdate: (object, before) => {
      const { generation = 0 } = before.metadata;
      const isChanged = !equal(object['spec'], before['spec']);
      const metadata = { ...object.metadata, ...(isChanged && { generation: generation + 1 }) };
      return { ...object, metadata };
    },
  },
  defaults: {
    'spec.attachRequired': true,
    'spec.podInfoOnMount': false,
    'spec.fsGroupPolicy': 'ReadWriteOnceWithFSType',
    'spec.storageCapacity': false,
    'spec.requiresRepublish': false,
    'spec.seLinuxMount': false,
    'spec.volumeLifecycleModes': ['Persistent'],
  },
  columns: defineColumns<DriverShape>({
    Name: nameColumn,
    AttachRequired: ['boolean', 'spec.attachRequired', true],
    PodInfoOnMount: ['boolean', 'spec.podInfoOnMount'],
    StorageCapacity: ['boolean', 'spec.storageCapacity'],
    TokenRequests: [
      'string',
      ({ spec }) => spec?.tokenRequests?.map(({ audience = '' }) => audience).join(',') ?? unset,
    ],
    RequiresRepublish: ['boolean', 'spec.requiresRepublish'],
    Modes: ['string', ({ spec }) => (spec?.volumeLifecycleModes ?? []).join(',') || none],
    Age: ageColumn,
  }),
});

export const csiNode = defineShaped({
  group,
  kind: 'CSINode',
  plural: 'csinodes',
  namespaced: false,
  hasStatus: false,
  strategy: { deleteReturnsObject: true, unconditionalUpdate: false },
  columns: defineColumns({
    Name: nameColumn,
    Drivers: ['integer', (object) => lengthAt(object, 'spec.drivers')],
    Age: ageColumn,
  }),
});

export const csiStorageCapacity = defineShaped({
  group,
  kind: 'CSIStorageCapacity',
  plural: 'csistoragecapacities',
  hasStatus: false,
  fixed: ['nodeTopology', 'storageClassName'],
  strategy: { unconditionalUpdate: false },
  columns: nameAndCreation,
});
