/**
 * The cases of a phrase: an area, or those of its cases whose titles match.
 */
export type Where = string | readonly [area: string, titles: RegExp];

/** A test outside of the suite: a file, from `src` of this package, and titles in it. */
export interface Elsewhere {
  readonly file: string;
  readonly titles: readonly string[];
}

/** One line of the sandbox's behaviour. */
export interface Line {
  readonly line: string;
  /** The phrases of the line, and the cases that show each. */
  readonly phrases: Readonly<Record<string, readonly Where[]>>;
  /** Tests outside the suite, for behaviour that no available API server shows. */
  readonly elsewhere?: readonly Elsewhere[] | undefined;
}

/**
 * The promises of the sandbox, line by line and phrase by phrase, with the cases that show them.
 */
export const lines: readonly Line[] = [
  {
    line: 'discovery, documents, health, and the REST of built-in and custom kinds',
    phrases: {
      'discovery, aggregated': [['discovery', /aggregated|Accept header|form of discovery/]],
      'discovery, old': [
        [
          'discovery',
          /^\/|group or version|lists the groups|list of its v1|discovery is|slash|custom kind|path that is not there/,
        ],
      ],
      '/version': [
        ['documents', /version/],
        ['discovery', /\/version/],
      ],
      '/openapi/v3': [['openapi', /index|document of|operations of|schemas of|hash|published/]],
      '/openapi/v2': [
        ['openapi', /v2/],
        ['documents', /v2/],
      ],
      'health endpoints': [
        ['discovery', /health/],
        ['documents', /health|check|credentials/],
      ],
      'REST: objects': ['objects', 'http', 'negotiation', ['requests', /root of groups|YAML|levels|limits and quotas/]],
      Namespace: [
        ['core-kinds', /Namespace/],
        ['tables', /Namespaces/],
        ['controllers-lifecycle', /Namespace (that goes|with finalizers)/],
      ],
      Node: [
        ['core-kinds', /Node/],
        ['small-kinds', /Node/],
        ['tables', /Nodes/],
      ],
      Pod: ['pods', ['tables', /^Pods: /]],
      Service: ['services'],
      Endpoints: [
        ['endpoint-slices', /Endpoints/],
        ['tables', /Endpoints/],
        ['services', /Endpoints/],
      ],
      EndpointSlice: ['endpoint-slices', ['tables', /EndpointSlices/]],
      ConfigMap: [['core-kinds', /ConfigMap/]],
      Secret: [
        ['core-kinds', /Secret/],
        ['tables', /Secrets/],
      ],
      ServiceAccount: [
        ['core-kinds', /ServiceAccount/],
        ['small-kinds', /ServiceAccount/],
        ['tables', /ServiceAccounts/],
      ],
      'kinds without a controller': ['stored-kinds'],
      Event: ['events-group', ['core-kinds', /Event/], ['small-kinds', /Event/], ['tables', /Events/]],
      Lease: [
        ['core-kinds', /Lease/],
        ['small-kinds', /Lease/],
        ['tables', /Leases/],
      ],
      'Deployment, ReplicaSet, StatefulSet, DaemonSet': [
        'workloads',
        ['tables', /Deployments|ReplicaSets|StatefulSets|DaemonSets|ControllerRevisions/],
      ],
      'RBAC kinds': ['rbac-kinds', ['tables', /Role|RBAC/]],
      CRD: ['crd-definitions', ['tables', /CustomResourceDefinition/]],
      'webhook configurations': [
        ['admission', /configurations are filled in/],
        ['admission-calls', /time of a webhook/],
        ['tables', /webhook configurations/],
      ],
      ServiceCIDR: [
        ['core-kinds', /ServiceCIDR|IPAddress/],
        ['small-kinds', /ServiceCIDR/],
        ['services', /range of ClusterIPs|adds a range/],
      ],
      'APIService as empty list': [['small-kinds', /APIServices/]],
      'any CRD': ['crd-objects'],
      'workload kinds: documented fields in depth': ['pods', 'workloads'],
    },
  },
  {
    line: 'forms, selection, pages, versions, watches, and the options of writes',
    phrases: {
      Table: ['tables', ['watches', /Tables/]],
      PartialObjectMetadata: ['metadata-only', ['watches', /PartialObjectMetadata/], ['negotiation', /metadata/]],
      'label and field selectors': [
        ['requests', /selectors|contradict/],
        ['lists', /selectors/],
        ['watches', /selector|one name/],
        ['small-kinds', /selected|by its name/],
        ['crd-objects', /select by/],
      ],
      'limit and continue': [
        ['lists', /limit|page|continue|remaining/],
        ['tables', /page/],
        ['compaction', /page/],
        ['metadata-only', /pages/],
      ],
      'resourceVersion semantics': [
        ['lists', /resourceVersion/],
        ['watches', /resourceVersion|past|future/],
        ['compaction', /present/],
      ],
      bookmarks: [
        ['requests', /bookmarks/],
        ['watches', /bookmark/],
        ['metadata-only', /bookmarks/],
      ],
      sendInitialEvents: [
        ['watches', /sendInitialEvents|options of a watch/],
        ['metadata-only', /bookmarks/],
      ],
      'time-outs': [
        ['requests', /time of a watch/],
        ['watches', /timeoutSeconds/],
        ['small-kinds', /watch of APIServices/],
      ],
      '410 after a compaction window': ['compaction'],
      watches: ['watches'],
      'optimistic concurrency': [
        ['objects', /old resourceVersion|resourceVersion of an update|another uid|no resourceVersion/],
        ['patches', /resourceVersion/],
        ['deletion', /preconditions/],
        ['apply', /resourceVersion/],
      ],
      dryRun: [
        ['objects', /dry run/],
        ['deletion', /dry run/],
        ['apply', /dry run/],
        ['services', /dry run/],
        ['admission', /dry run/],
      ],
      fieldValidation: [
        ['crd-subresources', /unknown fields/],
        ['requests', /YAML/],
        ['objects', /unknown fields|given twice/],
        ['apply-kinds', /judged/],
        ['reviews', /options/],
      ],
      generateName: [
        ['requests', /generated name/],
        ['objects', /generated/],
        ['admission', /yet to be made/],
        ['controllers-workloads', /its name/],
      ],
    },
  },
  {
    line: 'patches and server-side apply',
    phrases: {
      'JSON patch': [['patches', /JSON patch/]],
      'merge patch': [['patches', /^a merge patch/]],
      'strategic merge patch': [['patches', /strategic|strategy|cannot make/]],
      managedFields: ['apply', 'apply-kinds'],
      'ownership conflicts': [
        ['apply', /conflict|two managers/],
        ['apply-kinds', /conflicts|owned/],
      ],
      force: [
        ['apply', /forced/],
        ['apply-kinds', /force|applied/],
      ],
      'ownership across updates': [
        ['apply', /update/],
        ['apply-kinds', /client that updates|scaled/],
      ],
    },
  },
  {
    line: 'custom resource definitions',
    phrases: {
      establishing: [['crd-definitions', /into force|not established|new definition/]],
      NamesAccepted: [
        ['crd-subresources', /short name/],
        ['crd-definitions', /names that another|name in conflict|names can be changed/],
      ],
      'structural schema checks': [['crd-definitions', /structural|structure|list types|plain|format/]],
      validation: [['crd-objects', /validated|several schemas|unique|int-or-string|changed schema/]],
      defaulting: [
        ['crd-objects', /defaults/],
        ['crd-definitions', /default must/],
        ['crd-versions', /defaults/],
      ],
      pruning: [
        ['crd-subresources', /unknown fields/],
        ['crd-objects', /dropped|pruned/],
        ['crd-versions', /prunes/],
      ],
      'CEL rules': ['crd-cel'],
      'transition rules': [['crd-cel', /transition|old value|former selves|oldSelf/]],
      'status subresource': [
        ['crd-subresources', /status/],
        ['crd-objects', /status/],
        ['crd-definitions', /status/],
        ['crd-cel', /status/],
      ],
      'scale subresource': [
        ['crd-subresources', /Scale/],
        ['crd-objects', /scale/],
        ['crd-definitions', /scale/],
      ],
      'printer columns': [
        ['crd-objects', /columns/],
        ['crd-definitions', /columns/],
        ['crd-versions', /columns/],
      ],
      'several versions, conversion None': [
        ['crd-versions', /without conversion|each version|watch tells objects|versions of one name/],
      ],
      'conversion Webhook': [['crd-versions', /webhook/]],
      storedVersions: [
        ['crd-subresources', /still stored|stored versions/],
        ['crd-versions', /storage version/],
        ['crd-definitions', /stored version/],
      ],
      'deprecation warnings': [
        ['crd-objects', /deprecated/],
        ['crd-definitions', /deprecation/],
        ['crd-versions', /warnings/],
      ],
      'deletion with its clean-up finalizer': [
        ['crd-subresources', /made anew/],
        ['crd-definitions', /deleting a definition|finalizer/],
      ],
    },
  },
  {
    line: 'deletion, Namespaces, generation and ClusterIPs',
    phrases: {
      'deletion, of one and of many': [['deletion', /deleting answers|collection|some kinds|dry run|preconditions/]],
      finalizers: [
        ['deletion', /finalizer/],
        ['watches', /finalizer/],
        ['apply', /finalizers/],
      ],
      'propagation policies': [['deletion', /orphan|foreground|background|options that/]],
      'garbage collection by owner references': [
        ['deletion', /owned|owner|blocks/],
        ['controllers-lifecycle', /owner|dependents|orphan/],
      ],
      'Namespace life cycle': [
        ['core-kinds', /Namespace/],
        ['deletion', /Namespace that goes/],
        ['controllers-lifecycle', /Namespace (that goes|with finalizers)/],
        ['controllers-workloads', /Namespace that goes/],
      ],
      generation: [
        ['crd-objects', /generation/],
        ['crd-definitions', /generation/],
        ['endpoint-slices', /generation/],
        ['workloads', /do not count|other changes count/],
      ],
      'ClusterIP allocation from the Service CIDR': [
        ['services', /ClusterIP|address that is asked|outside of the range|keeps none|one family/],
      ],
    },
  },
  {
    line: 'controllers, scheduler and kubelets',
    phrases: {
      'default ServiceAccounts': [['controllers-lifecycle', /ServiceAccount/]],
      'root CA ConfigMap': [['controllers-lifecycle', /root CA/]],
      'token Secrets': [['controllers-lifecycle', /token Secret/]],
      TokenRequest: ['tokens'],
      Deployments: [
        ['controllers-workloads', /Deployment|template|history|Recreate/],
        ['controllers-lifecycle', /Deployment/],
      ],
      ReplicaSets: [['controllers-workloads', /ReplicaSet/]],
      StatefulSets: [['controllers-workloads', /StatefulSet/]],
      DaemonSets: [['controllers-workloads', /DaemonSet/]],
      EndpointSlices: ['controllers-endpoints', 'controllers-mirroring'],
      'Namespaces that go': [
        ['controllers-lifecycle', /goes tells/],
        ['controllers-workloads', /Namespace that goes/],
      ],
      'aggregated ClusterRoles': [['controllers-lifecycle', /aggregated/]],
    },
    // A real API server has no Nodes of its own to compare with.
    elsewhere: [
      {
        file: 'controllers/cluster-controllers.test.ts',
        titles: [
          'run the Pods of a Deployment on Nodes, with addresses of theirs, and make them endpoints',
          'report why a Pod has no Node, and place it when one fits',
          'make a Pod not ready by its annotation, and end it after its grace period',
          'take a Node whose kubelet stops for unknown after 40 s, its Pods for not ready, and both back when it starts',
        ],
      },
      {
        file: 'controllers/controllers.envtest.test.ts',
        titles: ['make its Nodes ready, and give each Namespace its ServiceAccount and the certificate'],
      },
    ],
  },
  {
    line: 'authentication, authorization and admission',
    phrases: {
      'bearer tokens': [['tokens', /token/]],
      'RBAC: rules and bindings': [['access', /rule|Role|binding|ServiceAccount|stars|subresource|right to/]],
      'aggregated ClusterRoles': [
        ['controllers-lifecycle', /aggregated/],
        ['escalation', /aggregated/],
        ['rbac-kinds', /aggregated/],
      ],
      'escalation checks': ['escalation', ['access', /nobody gives more/]],
      impersonation: [
        ['requests', /speaks? for/],
        ['access', /impersonate/],
      ],
      'who one is': [['access', /SelfSubjectReview/]],
      SelfSubjectAccessReview: [
        ['access', /SelfSubjectAccessReview|access review|everybody/],
        ['reviews', /options|Table/],
      ],
      SelfSubjectRulesReview: [
        ['access', /SelfSubjectRulesReview/],
        ['reviews', /rules|rule that/],
      ],
      SubjectAccessReview: [
        ['access', / SubjectAccessReview/],
        ['reviews', /access review/],
      ],
      TokenReview: [
        ['tokens', /review|audience|dies/],
        ['reviews', /TokenReview|only made/],
      ],
      'mutating webhooks': [
        ['admission', /mutating|patch/],
        ['admission-calls', /mutating|mutation/],
      ],
      'validating webhooks': [
        ['admission', /validating|denial|denied|told who|configurations themselves|warnings/],
        ['admission-calls', /validating|denial|collection/],
        'admission-subresources',
      ],
      matchConditions: ['match-conditions'],
      'admission policies': ['admission-policies'],
      'objectSelector and namespaceSelector': [['admission', /selectors|rules choose/]],
      failurePolicy: [
        ['admission', /not there|failures|no reviews|as text with an error|is judged/],
        ['admission-calls', /passed over|refused|refuses the request/],
      ],
      timeouts: [['admission-calls', /says nothing|time of a webhook/]],
      reinvocation: [
        ['admission', /asked again/],
        ['admission-calls', /asked again/],
      ],
      'sideEffects under dryRun': [
        ['admission', /dry run/],
        ['admission-calls', /dry run/],
      ],
    },
    elsewhere: [
      {
        file: 'https/serve-https.test.ts',
        titles: [
          'is the subject of the client certificate: CN the user, each O a group',
          'is nobody with a wrong token, or with a certificate of another authority',
        ],
      },
    ],
  },
  {
    line: 'HTTPS on loopback or no socket; virtual or real clock; memory',
    phrases: {
      'both ways in, both clocks': ['http', 'negotiation', 'lists', 'tokens'],
    },
    elsewhere: [
      { file: 'contract/contract.https.test.ts', titles: ['area $name over HTTPS'] },
      { file: 'contract/contract.test.ts', titles: ['area $name'] },
    ],
  },
  {
    line: 'fault injection',
    phrases: {},
    // A real server cannot be made to fail.
    elsewhere: [
      {
        file: '../../fleet-sim/src/faults/with-faults.test.ts',
        titles: [
          'that suffers %j ends as %s; applied: %s',
          'of a version that expired is rejected with the text of the server',
          'that times out can be given up before',
          'that suffers %j gets %j and is %s; the next one goes on',
          'answers nothing until it thaws, and then does what it was sent',
          'does the writes that were given up while it was frozen',
          'keeps open streams, which deliver everything when it thaws',
        ],
      },
    ],
  },
];
