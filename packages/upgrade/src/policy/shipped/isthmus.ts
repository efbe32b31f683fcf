import type { PolicyData } from './policy-data.ts';

const source = 'the promise of Isthmus itself';

/** The promises of Isthmus about itself. */
export const isthmus = {
  name: 'isthmus',
  spec: {
    product: 'Isthmus',
    roleOrder: ['leader', 'member'],
    order: [
      { id: 'isthmus.order', first: 'isthmus-leader', next: 'isthmus-member', scope: 'clusterset', source },
      { id: 'isthmus.order-agent', first: 'isthmus-leader', next: 'isthmus-agent', scope: 'clusterset', source },
    ],
    skew: [
      {
        id: 'isthmus.agent',
        subject: 'isthmus-agent',
        reference: 'isthmus-leader',
        scope: 'clusterset',
        newer: { minors: 0, patches: 'none' },
        older: { minors: 4 },
        message: 'an agent is never newer than the leader, and up to four minors older',
        source,
      },
      {
        id: 'isthmus.cli',
        subject: 'isthmus-cli',
        reference: 'isthmus-leader',
        scope: 'fleet',
        newer: { minors: 0, patches: 'none' },
        older: { minors: 4 },
        message: 'the command line is never newer than the leader, and up to four minors older',
        source,
      },
      {
        id: 'isthmus.member',
        subject: 'isthmus-member',
        reference: 'isthmus-leader',
        scope: 'clusterset',
        newer: { minors: 1 },
        older: { minors: 1 },
        message: 'members are within one minor of their leader',
        source,
      },
      {
        id: 'isthmus.members',
        subject: 'isthmus-member',
        reference: 'isthmus-member',
        scope: 'clusterset',
        newer: { minors: 1 },
        older: { minors: 1 },
        message: 'the members of a ClusterSet are within one minor of each other',
        source,
      },
    ],
    hops: [
      { id: 'isthmus.hop', subject: 'isthmus-leader', maxMinors: 1, source },
      { id: 'isthmus.hop-member', subject: 'isthmus-member', maxMinors: 1, source },
    ],
    apis: [
      {
        id: 'isthmus.apis',
        component: 'isthmus-leader',
        groups: ['isthmus.dev', '*.isthmus.dev'],
        ga: { months: 12, releases: 3 },
        beta: { months: 9, releases: 3 },
        alpha: { months: 0 },
        gaWithinMajor: true,
        source,
      },
    ],
    metrics: [
      {
        id: 'isthmus.metrics',
        component: 'isthmus-leader',
        names: ['isthmus_*'],
        stability: 'all-stable',
        minMinors: 1,
        source,
      },
    ],
    patchReleases: [
      { id: 'isthmus.patch', component: 'isthmus-leader', dependencies: { node: 'minor' }, source },
      { id: 'isthmus.patch-member', component: 'isthmus-member', dependencies: { node: 'minor' }, source },
    ],
    features: [
      {
        name: 'ClusterSet and membership',
        component: 'isthmus-leader',
        stages: [{ stage: 'alpha', since: '0.1.0' }],
        source: 'Isthmus, docs/coverage.md',
      },
      {
        name: 'Export and import of Services',
        component: 'isthmus-member',
        stages: [{ stage: 'alpha', since: '0.1.0' }],
        source: 'Isthmus, docs/coverage.md',
      },
      {
        name: 'Upgrade rules and plans',
        component: 'isthmus-cli',
        stages: [{ stage: 'alpha', since: '0.1.0' }],
        source: 'Isthmus, docs/coverage.md',
      },
    ],
  },
} satisfies PolicyData;
