import type { PolicyData } from './policy-data.ts';

const guide = 'Cilium, Upgrade Guide';

/** The promises of the project Cilium about upgrades. */
export const cilium = {
  name: 'cilium',
  spec: {
    product: 'Cilium',
    hops: [
      {
        id: 'cilium.step',
        subject: 'cilium',
        maxMinors: 1,
        majors: 'never',
        downgrade: 'consecutive-minor',
        newestPatchFirst: true,
        message: 'one minor at a time, from the newest patch of the minor before',
        source: guide,
      },
    ],
    notes: [
      {
        id: 'cilium.preflight',
        component: 'cilium',
        to: '',
        text: 'The pre-flight check loads the images on every Node and validates the stored policies before anything is restarted. With Hubble, ClusterMesh, Ingress or the Gateway API on, most of its objects also belong to the installation.',
        unblock: 'afterwards, delete only objects that the pre-flight check created',
        source: guide,
      },
    ],
  },
} satisfies PolicyData;
