import { Label, multiClusterConfig } from '@isthmus/api';
import { agentImage, controllerConfigFields, preferDifferentNodes, userspaceWireGuard } from '@isthmus/install';
import { agentPorts } from '@isthmus/dataplane';
import { printYaml } from '@isthmus/machinery';
import type { JsonSchema } from '@isthmus/schema';

/** A value of the chart, with its default and the schema that it must match. */
interface Value {
  readonly doc: string;
  readonly default: unknown;
  readonly schema: object;
}

/** Values of the chart, by name; a group has values of its own. */
interface Group {
  readonly doc: string;
  readonly values: Values;
}

interface Values {
  readonly [name: string]: Value | Group;
}

const object = { type: 'object' };
const objects = { type: 'array', items: object };
const flag = { type: 'boolean' };
const text = { type: 'string' };
/**
 * A text of the form that an API server requires in a Deployment. Otherwise it would reject the
 * Deployment after Helm has created the objects before it.
 */
const matching = (pattern: string) => ({ ...text, pattern: `^(${pattern})$` });
const count = { type: 'integer', minimum: 0, maximum: 2 ** 31 - 1 };
const dnsLabel = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const subdomain = `${dnsLabel}(\\.${dnsLabel})*`;
const labelValue = '[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?';
const labelKey = { pattern: `^(${subdomain}/)?${labelValue}$` };
/** Names with texts, such as annotations. `reserved`: names that belong to the chart. */
const texts = (...reserved: readonly string[]) => ({
  ...object,
  additionalProperties: text,
  propertyNames: { ...labelKey, ...(reserved.length > 0 && { not: { enum: reserved } }) },
});
const labels = (...reserved: readonly string[]) => ({
  ...texts(...reserved),
  additionalProperties: matching(`(${labelValue})?`),
});
/** Objects with these fields and no others. */
const listOf = (properties: object, ...required: readonly string[]) => ({
  type: 'array',
  items: { ...groupSchema(properties), ...(required.length > 0 && { required }) },
});
const tolerations = listOf({
  key: text,
  operator: { enum: ['', 'Equal', 'Exists', 'Gt', 'Lt'] },
  value: text,
  effect: { enum: ['', 'NoSchedule', 'PreferNoSchedule', 'NoExecute'] },
  tolerationSeconds: { type: 'integer' },
});
const quantities = {
  ...object,
  additionalProperties: {
    type: ['string', 'number'],
    minimum: 0,
    pattern: '^\\+?([0-9]+(\\.[0-9]*)?|\\.[0-9]+)([eE][-+]?[0-9]+|[numkMGTPE]|[KMGTPE]i)?$',
  },
};
const resources = groupSchema({ limits: quantities, requests: quantities, claims: objects });
const pathOfImage = '[a-z0-9]+((\\.|__?|-+)[a-z0-9]+)*';
/** Without a tag and a digest, which have values of their own. */
const repository = {
  minLength: 1,
  ...matching(
    `(([A-Za-z0-9]([-A-Za-z0-9.]*[A-Za-z0-9])?|\\[[0-9a-fA-F:]+\\])(:[0-9]+)?/)?${pathOfImage}(/${pathOfImage})*`,
  ),
};
const tag = matching('([A-Za-z0-9_][-A-Za-z0-9_.]{0,127})?');
const variable = matching('[!-<>-~][ -<>-~]*');

const octet = '(25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])';
const ipv4 = `${octet}(\\.${octet}){3}`;
/** No more than its characters: the API server and the controller read the rest. */
const ipv6 = '[0-9a-fA-F]*:[0-9a-fA-F:.]*';
/** An address, or nothing. */
const address = { ...text, pattern: `^(${ipv4}|${ipv6})?$` };
/** A range of addresses, or nothing. */
const range = {
  ...text,
  pattern: `^(${ipv4}/(3[0-2]|[12]?[0-9])|${ipv6}/(12[0-8]|1[01][0-9]|[1-9]?[0-9]))?$`,
};
const ranges = { type: 'array', items: range };
/**
 * Fields of the configuration file whose schema is stricter here: Helm then rejects what the
 * controller would reject in its Pod.
 */
const stricter: Readonly<Record<string, object>> = {
  serviceCIDR: range,
  podCIDRs: ranges,
  allowedCIDRs: ranges,
  importExcludedNamespaces: { type: 'array', items: { ...matching(`(${dnsLabel})?`), maxLength: 63 } },
  metrics: groupSchema({
    bindAddress: matching(`0?|(${ipv4}|\\[${ipv6}\\]|localhost)?:[0-9]{1,5}`),
  }),
  virtualPodCIDRs: ranges,
};

/**
 * Labels that objects of the chart have: with a second value for one of them, Helm would not read
 * them.
 */
const ownLabels = [
  Label.app,
  Label.component,
  Label.managedBy,
  Label.servedIn,
  'app.kubernetes.io/instance',
  'app.kubernetes.io/version',
  'helm.sh/chart',
  'multicluster.x-k8s.io/crd-schema-revision',
  'multicluster.x-k8s.io/release-version',
];

/** Every value of the chart. */
const values: Values = {
  role: {
    doc: 'Role of the controller in this cluster: leader or member. Required. For both roles, install two releases in different Namespaces.',
    default: '',
    schema: { enum: ['leader', 'member'] },
  },
  crds: {
    doc: 'CustomResourceDefinitions. helm upgrade updates them, and helm uninstall does not delete them.',
    values: {
      install: {
        doc: 'Whether this release installs them. Set it to false for the second role of a cluster, or if another tool installs them.',
        default: true,
        schema: flag,
      },
      adopt: {
        doc: 'Whether the release may take over existing CRDs and the other objects of a controller that was installed without Helm; needs the flag --take-ownership of helm, and with Helm 4 also --server-side=true --force-conflicts.',
        default: false,
        schema: flag,
      },
    },
  },
  image: {
    doc: 'The image of the controller.',
    values: {
      repository: {
        doc: 'Name of the image, with the registry, without a tag or digest.',
        default: 'isthmus/controller',
        schema: repository,
      },
      tag: { doc: 'Tag of the image; empty means the version of the chart.', default: '', schema: tag },
      digest: {
        doc: 'Digest of the image; if set, the tag is ignored.',
        default: '',
        schema: { ...text, pattern: '^(sha256:[0-9a-f]{64})?$' },
      },
      pullPolicy: {
        doc: 'Always, IfNotPresent or Never.',
        default: 'IfNotPresent',
        schema: { enum: ['Always', 'IfNotPresent', 'Never'] },
      },
    },
  },
  imagePullSecrets: {
    doc: 'As in a Pod: a list of {name: …}.',
    default: [],
    schema: listOf({ name: matching(subdomain) }, 'name'),
  },
  replicas: {
    doc: 'Number of Pods of the controller; one is active, the others are on standby.',
    default: 2,
    schema: count,
  },
  resources: { doc: 'As in a container.', default: { requests: { cpu: '200m', memory: '128Mi' } }, schema: resources },
  nodeSelector: { doc: 'As in a Pod.', default: { 'kubernetes.io/os': 'linux' }, schema: labels() },
  tolerations: { doc: 'As in a Pod.', default: [], schema: tolerations },
  affinity: { doc: 'As in a Pod.', default: preferDifferentNodes, schema: object },
  topologySpreadConstraints: { doc: 'As in a Pod.', default: [], schema: objects },
  priorityClassName: { doc: 'As in a Pod.', default: '', schema: matching(`(${subdomain})?`) },
  podAnnotations: {
    doc: 'Additional annotations of the Pods. checksum/config is not allowed: it replaces the Pods when the configuration changes.',
    default: {},
    schema: texts('checksum/config'),
  },
  podLabels: {
    doc: 'Additional labels of the Pods. app and component are not allowed: selectors need them.',
    default: {},
    schema: labels(Label.app, Label.component),
  },
  commonLabels: {
    doc: 'Additional labels of all objects of the release, but not of its Pods (see podLabels). The names of labels that the objects have already are not allowed.',
    default: {},
    schema: labels(...ownLabels),
  },
  extraEnv: {
    doc: 'Additional environment variables, as in a container; for example HTTPS_PROXY. The names that the container has already, such as POD_NAMESPACE, are not allowed.',
    default: [],
    schema: listOf({ name: variable, value: text, valueFrom: object }, 'name'),
  },
  podDisruptionBudget: {
    doc: 'PodDisruptionBudget: when Nodes are drained, one Pod of the controller is evicted at a time.',
    values: { enabled: { doc: 'Whether it is installed.', default: true, schema: flag } },
  },
  networkPolicy: {
    doc: 'NetworkPolicy: only the ports for health and metrics of the Pods can be reached.',
    values: { enabled: { doc: 'Whether it is installed.', default: true, schema: flag } },
  },
  flowControl: {
    doc: 'For a leader: FlowSchemas and a PriorityLevelConfiguration: the requests of members have a share of the API server of their own, so that they do not delay other clients.',
    values: { enabled: { doc: 'Whether they are installed.', default: true, schema: flag } },
  },
  metrics: {
    doc: 'Access to the metrics.',
    values: {
      rbac: {
        doc: 'Whether to install the cluster-wide permission with which the controller, the agents and the DNS server verify readers of their metrics, and the ClusterRole for readers.',
        default: false,
        schema: flag,
      },
    },
  },
  admission: {
    doc: 'ValidatingAdmissionPolicies: for a leader, they limit what the tokens of members may write; for both roles, they check ClusterSets, ClusterClaims and Gateways.',
    values: {
      enabled: {
        doc: 'Whether they are installed. Without them, a member can write the exports of other members, and policies, and the agent of a Node can write every Lease of its Namespace.',
        default: true,
        schema: flag,
      },
      strict: {
        doc: 'For a leader: whether to reject all writes of accounts that do not name their cluster.',
        default: false,
        schema: flag,
      },
    },
  },
  members: {
    doc: 'For a leader: IDs of the member clusters for which the release creates an account with a token.',
    default: [],
    schema: {
      type: 'array',
      items: { ...text, pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$', maxLength: 56 },
      uniqueItems: true,
    },
  },
  memberEvents: {
    doc: 'For a leader: whether its members may write Events into its Namespace about policies that they cannot import. ResourceExports report the same without it.',
    default: false,
    schema: flag,
  },
  tokenSecrets: {
    doc: 'For a member: names of the Secrets with tokens for the leader, which ClusterSets name. If set, the controller cannot read other Secrets of its Namespace. Before a ClusterSet names another Secret, add it here. Empty allows it to read all of them, because their names are not known in advance.',
    default: [],
    schema: { type: 'array', items: { ...matching(subdomain), maxLength: 253 }, uniqueItems: true },
  },
  agent: {
    doc: 'For a member: agents that carry packets between clusters, one on each Node. The data plane is not proven yet, so they are not installed by default.',
    values: {
      enabled: { doc: 'Whether they are installed.', default: false, schema: flag },
      image: {
        doc: 'The image of the agent; its pull policy is that of the controller.',
        values: {
          repository: {
            doc: 'Name of the image, with the registry, without a tag or digest.',
            default: agentImage,
            schema: repository,
          },
          tag: { doc: 'Tag of the image; empty means the version of the chart.', default: '', schema: tag },
          digest: {
            doc: 'Digest of the image; if set, the tag is ignored.',
            default: '',
            schema: { ...text, pattern: '^(sha256:[0-9a-f]{64})?$' },
          },
        },
      },
      trafficEncryptionMode: {
        doc: 'Encryption of packets between gateways of different clusters: none or wireGuard. Must be the same in every cluster.',
        default: 'none',
        schema: { enum: ['none', 'wireGuard'] },
      },
      wireGuard: {
        doc: 'Settings of WireGuard, if trafficEncryptionMode is wireGuard.',
        values: {
          port: {
            doc: 'UDP port of gateways for encrypted packets. Must be the same in every cluster.',
            default: agentPorts.wireGuard,
            schema: { type: 'integer', minimum: 1, maximum: 65_535 },
          },
          userspace: {
            doc: 'WireGuard in user space, in a privileged container, for gateways whose kernel lacks it.',
            values: {
              enabled: { doc: 'Whether it is installed.', default: false, schema: flag },
              nodeSelector: {
                doc: 'Selects the Nodes with such a kernel, and no others.',
                default: { 'kubernetes.io/os': 'linux', ...userspaceWireGuard },
                schema: labels(),
              },
            },
          },
        },
      },
      enableStretchedNetworkPolicy: {
        doc: "Whether packets carry the number of the client's labels, and agents enforce egress rules of Antrea's policies about imported Services. Lets the agents read Pods and Namespaces of the whole cluster. LabelIdentities also need config.enableStretchedNetworkPolicy.",
        default: false,
        schema: flag,
      },
      extraArgs: {
        doc: 'Additional flags of isthmus agent run; for example --underlay-mtu=9000. Flags that the container has already are not allowed.',
        default: [],
        schema: { type: 'array', items: text },
      },
      resources: {
        doc: 'As in a container.',
        default: { requests: { cpu: '50m', memory: '96Mi' } },
        schema: resources,
      },
      nodeSelector: { doc: 'As in a Pod.', default: { 'kubernetes.io/os': 'linux' }, schema: labels() },
      tolerations: {
        doc: 'As in a Pod. The default lets agents run on every Node.',
        default: [{ operator: 'Exists' }],
        schema: tolerations,
      },
    },
  },
  dns: {
    doc: 'For a member: a DNS server for clusterset.local. The DNS servers of the cluster must forward this zone to it. Clusters whose CoreDNS has the option multicluster do not need it.',
    values: {
      enabled: { doc: 'Whether it is installed.', default: false, schema: flag },
      clusterIP: {
        doc: 'Address of its Service, for the configuration of CoreDNS; empty means that the API server chooses one.',
        default: '',
        schema: address,
      },
      replicas: {
        doc: 'Number of Pods; all of them answer.',
        default: 2,
        schema: count,
      },
      resources: {
        doc: 'As in a container.',
        default: { requests: { cpu: '100m', memory: '128Mi' } },
        schema: resources,
      },
      nodeSelector: { doc: 'As in a Pod.', default: { 'kubernetes.io/os': 'linux' }, schema: labels() },
      tolerations: { doc: 'As in a Pod.', default: [], schema: tolerations },
    },
  },
  config: { doc: 'The configuration file of the controller.', values: configValues() },
};

/**
 * The fields of the configuration file that the chart leaves to its user: not its head, what only
 * Antrea before 2.0 had, and what belongs to the Deployment.
 */
function configValues(): Values {
  const withoutValue = ['apiVersion', 'kind', 'leaderElection', 'health', 'webhook'];
  const defaults = controllerConfigFields() as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    Object.entries(multiClusterConfig.schema.properties ?? {})
      .filter(([name]) => !withoutValue.includes(name))
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, schema]) => [
        name,
        { doc: docOf(schema), default: defaults[name], schema: stricter[name] ?? closed(schema) },
      ]),
  );
}

function docOf({ description, properties }: JsonSchema): string {
  const inner = Object.entries(properties ?? {}).map(([name, field]) => `${name}: ${field.description ?? ''}`);
  return [description, ...inner].join(' ');
}

/** The schema without its descriptions and defaults; unknown fields are errors. */
function closed({ type, enum: values, minimum, maximum, items, properties }: JsonSchema): object {
  return {
    type,
    ...(values !== undefined && { enum: values }),
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
    ...(items !== undefined && { items: closed(items) }),
    ...(properties !== undefined &&
      groupSchema(Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, closed(field)])))),
  };
}

function groupSchema(properties: object): object {
  return { type: 'object', additionalProperties: false, properties };
}

/**
 * Whether a value has to be there. Helm takes a value away where a user sets null: a map or a list
 * is then empty, and a setting of the configuration file has its default there. Any other would be
 * false or nothing, such as the name of an image or whether the policies are installed.
 */
function isRequired(one: Value | Group): boolean {
  if ('values' in one) return true;
  const { type, enum: listed, minLength } = one.schema as { type?: string; enum?: unknown; minLength?: number };
  return type === 'boolean' || type === 'integer' || listed !== undefined || minLength !== undefined;
}

/**
 * `values.schema.json`, which Helm checks before it does anything. A parent chart hands `global` to
 * all of its charts, and has the condition of its dependency in `enabled`.
 */
export function valuesSchema(): string {
  const of = (group: Values): object =>
    Object.fromEntries(
      Object.entries(group).map(([name, one]) => [
        name,
        'values' in one
          ? { description: one.doc, ...groupSchema(of(one.values)), ...(name !== 'config' && required(one.values)) }
          : { description: one.doc, ...one.schema },
      ]),
    );
  const required = (group: Values) => {
    const names = Object.keys(group).filter((name) => group[name] !== undefined && isRequired(group[name]));
    return names.length > 0 && { required: names };
  };
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    ...required(values),
    ...groupSchema({
      ...of(values),
      enabled: { description: 'The condition of a parent chart that has this chart as a dependency.', ...flag },
      global: object,
    }),
  };
  return `${JSON.stringify(schema, undefined, 2)}\n`;
}

/** `values.yaml`: every value with its default, below what it means. */
export function valuesText(group: Values = values): string {
  return Object.entries(group)
    .map(([name, one]) => {
      const head = `# ${one.doc}\n`;
      return 'values' in one
        ? `${head}${name}:\n${valuesText(one.values).replaceAll(/^(?=.)/gm, '  ')}`
        : head + printYaml({ [name]: one.default });
    })
    .join('');
}
