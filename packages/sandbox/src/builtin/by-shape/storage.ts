import { equal } from '@isthmus/machinery';
import type { Stored } from '../../store/stored.ts';
import { defineColumns } from '../columns/define-columns.ts';
import { none } from '../columns/cell-texts.ts';
import { ageOf, nameAndCreation } from '../name-and-age.ts';
import { defineShaped } from './define-shaped.ts';

const group = 'storage.k8s.io';

interface StorageClassShape extends Stored {
  readonly provisioner?: string;
  readonly reclaimPolicy?: string;
  readonly volumeBindingMode?: string;
  readonly allowVolumeExpansion?: boolean;
}

export const storageClass = defineShaped({
  group,
  kind: 'StorageClass',
  plural: 'storageclasses',
  namespaced: false,
  shortNames: ['sc'],
  hasStatus: false,
  fixed: ['parameters', 'provisioner', 'reclaimPolicy', 'volumeBindingMode'],
  strategy: {
    deleteReturnsObject: true,
    defaults: (object) => ({
      ...object,
      reclaimPolicy: object['reclaimPolicy'] ?? 'Delete',
      volumeBindingMode: object['volumeBindingMode'] ?? 'Immediate',
    }),
  },
  columns: defineColumns<StorageClassShape>(
    {
      Name: 'name',
      Provisioner: 'string',
      ReclaimPolicy: 'string',
      VolumeBindingMode: 'string',
      AllowVolumeExpansion: 'string',
      Age: 'string',
    },
    (object, now) => [
      isDefaultClass(object) ? `${object.metadata.name} (default)` : object.metadata.name,
      object.provisioner ?? '',
      object.reclaimPolicy ?? 'Delete',
      object.volumeBindingMode ?? 'Immediate',
      object.allowVolumeExpansion ?? false,
      ageOf(object, now),
    ],
  ),
});

function isDefaultClass({ metadata: { annotations = {} } }: Stored): boolean {
  return ['storageclass.kubernetes.io/is-default-class', 'storageclass.beta.kubernetes.io/is-default-class'].some(
    (name) => annotations[name] === 'true',
  );
}

interface DriverClassShape extends Stored {
  readonly driverName?: string;
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
  columns: defineColumns<DriverClassShape>({ Name: 'name', DriverName: 'string', Age: 'string' }, (object, now) => [
    object.metadata.name,
    object.driverName ?? '',
    ageOf(object, now),
  ]),
});

interface AttachmentShape extends Stored {
  readonly spec?: {
    readonly attacher?: string;
    readonly nodeName?: string;
    readonly source?: { readonly persistentVolumeName?: string };
  };
  readonly status?: { readonly attached?: boolean };
}

export const volumeAttachment = defineShaped({
  group,
  kind: 'VolumeAttachment',
  plural: 'volumeattachments',
  namespaced: false,
  fixed: ['spec'],
  strategy: { deleteReturnsObject: true, unconditionalUpdate: false },
  columns: defineColumns<AttachmentShape>(
    { Name: 'name', Attacher: 'name', PV: 'string', Node: 'string', Attached: 'boolean', Age: 'string' },
    (object, now) => [
      object.metadata.name,
      object.spec?.attacher ?? '',
      object.spec?.source?.persistentVolumeName ?? '',
      object.spec?.nodeName ?? '',
      object.status?.attached ?? false,
      ageOf(object, now),
    ],
  ),
});

interface DriverShape extends Stored {
  readonly spec?: {
    readonly attachRequired?: boolean;
    readonly podInfoOnMount?: boolean;
    readonly storageCapacity?: boolean;
    readonly requiresRepublish?: boolean;
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
    defaults(object) {
      const { volumeLifecycleModes, ...spec } = (object as DriverShape).spec ?? {};
      return {
        ...object,
        spec: {
          attachRequired: true,
          podInfoOnMount: false,
          fsGroupPolicy: 'ReadWriteOnceWithFSType',
          storageCapacity: false,
          requiresRepublish: false,
          seLinuxMount: false,
          ...spec,
          volumeLifecycleModes: (volumeLifecycleModes ?? []).length > 0 ? volumeLifecycleModes : ['Persistent'],
        },
      };
    },
  },
  columns: defineColumns<DriverShape>(
    {
      Name: 'name',
      AttachRequired: 'boolean',
      PodInfoOnMount: 'boolean',
      StorageCapacity: 'boolean',
      TokenRequests: 'string',
      RequiresRepublish: 'boolean',
      Modes: 'string',
      Age: 'string',
    },
    (object, now) => {
      const { spec = {} } = object;
      return [
        object.metadata.name,
        spec.attachRequired ?? true,
        spec.podInfoOnMount ?? false,
        spec.storageCapacity ?? false,
        spec.tokenRequests === undefined
          ? '<unset>'
          : spec.tokenRequests.map(({ audience = '' }) => audience).join(','),
        spec.requiresRepublish ?? false,
        (spec.volumeLifecycleModes ?? []).join(',') || none,
        ageOf(object, now),
      ];
    },
  ),
});

interface DriversOfNodeShape extends Stored {
  readonly spec?: { readonly drivers?: readonly object[] | null };
}

export const csiNode = defineShaped({
  group,
  kind: 'CSINode',
  plural: 'csinodes',
  namespaced: false,
  hasStatus: false,
  strategy: { deleteReturnsObject: true, unconditionalUpdate: false },
  columns: defineColumns<DriversOfNodeShape>({ Name: 'name', Drivers: 'integer', Age: 'string' }, (object, now) => [
    object.metadata.name,
    (object.spec?.drivers ?? []).length,
    ageOf(object, now),
  ]),
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
