const antrea = '--bundle antrea-2.7/bundle.yaml --snapshot antrea-2.7/fleet.yaml';
const eks = '--bundle eks-anywhere/bundle.yaml --snapshot eks-anywhere/fleet.yaml';
const forms = ['text', 'json'] as const;
const inForms = (lines: readonly string[]) => lines.flatMap((line) => forms.map((form) => `${line} -o ${form}`));

/** What the commands about bundles and plans print. */
export const bundleAndPlanLines: readonly string[] = [
  ...inForms([
    'upgrade bundle lint bundle-7.yaml --older bundle-6.yaml',
    'upgrade bundle lint bundle-bad.yaml',
    'upgrade bundle verify bundle-7.yaml',
    'upgrade bundle verify bundle-bad.yaml --expired refuse --signature require',
    'upgrade bundle show bundle-7.yaml',
    'upgrade bundle diff bundle-6.yaml bundle-7.yaml',
    'upgrade bundle latest index.yaml',
  ]),
  'upgrade bundle show bundle-7.yaml -o yaml',
  'upgrade bundle show antrea-2.7/bundle.yaml --kubernetes 1.35',
  'upgrade bundle diff bundle-6.yaml bundle-7.yaml --detailed-exitcode',
  'upgrade bundle diff bundle-6.yaml bundle-7.yaml -o yaml',
  'upgrade bundle resolve bundle-bad.yaml --verify --dry-run',
  'upgrade bundle resolve bundle-bad.yaml --verify',
  `upgrade plan ${antrea}`,
  `upgrade plan ${antrea} -o json --detailed-exitcode`,
  `upgrade plan ${eks} --kubernetes 1.32`,
  `upgrade plan ${eks} --kubernetes 1.36`,
  'upgrade plan --bundle bundle-7.yaml --snapshot skewed.yaml',
  'upgrade snapshot --rights',
  'upgrade snapshot --rights --helm-secrets',
  `upgrade plan ${antrea} --canary 2 --wave-share 50% --soak 30m`,
];

/** What the checks print. */
export const checkLines: readonly string[] = [
  ...inForms([
    'upgrade check skew --snapshot skewed.yaml',
    'upgrade check skew --snapshot skewed.yaml --waivers waivers.yaml --kubernetes 1.28',
    'upgrade check skew --snapshot antrea-2.7/fleet.yaml --bundle antrea-2.7/bundle.yaml',
    'upgrade check crd old-crd.yaml new-crd.yaml',
    'upgrade check crd old-crd.yaml new-crd.yaml --objects widgets.yaml --server 1.31 --lints',
    'upgrade check crd crds crds',
    'upgrade check objects --crd new-crd.yaml --old old-crd.yaml -f widgets.yaml',
    'upgrade check manifests -f manifests --crd new-crd.yaml --kubernetes 1.32',
    'upgrade check deprecations --snapshot skewed.yaml -f manifests,new-crd.yaml --history antrea-history.yaml',
    'upgrade check metrics old-metrics.txt new-metrics.txt --to v2.7.0 --used-in dashboards',
    'upgrade check placement -f placed-crd.yaml --depends-on depends-on.yaml',
    'upgrade check release bundle-6.yaml bundle-7.yaml',
  ]),
  'upgrade check release bundle-6.yaml bundle-7.yaml -o yaml',
];

/** What is recorded with the help: the lines of commands that are not about upgrades. */
export const otherLines: readonly string[] = ['--version', 'version', 'version --json'];

/** Typical mistakes. */
export const mistakenLines: readonly string[] = [
  'contoller',
  'controller',
  'controller leader',
  'controller follower',
  'controller leader --confg x.yaml',
  'controller member --config missing.yaml',
  'controller member --config no-role.yaml --kubeconfig missing',
  'controller member --config broken.yaml',
  'controller member --namespace A_b',
  'controller leader --leader-elect=maybe',
  'controller leader --log-format xml',
  'controller leader extra',
  'agent',
  'agent run --tunnel-port 0',
  'agent run --underlay-mtu 500',
  'agent run --pod-cidrs 10.0.0.0/8,here',
  'agent run --health-probe-bind-address nowhere',
  'agent run --kubeconfig missing',
  'agent trace',
  'agent trace 10.10.1.2 shop/cart --protocol ICMP',
  'agent trace 10.10.1.2 shop/cart --kubeconfig missing',
  'agent cleanup',
  'agent cleanup extra',
  'handover',
  'handover leader --kubeconfig missing',
  'handover member extra',
  'sandbox',
  'sandbox up --clusters north,east',
  'sandbox up --clusters north:leader,south:leader',
  'sandbox up --clusters north:leader,north',
  'sandbox up --clusters north:king',
  'sandbox up --clusters Not_A_Name:leader',
  'sandbox up --kubeconfig /missing/file',
  'version extra',
  'version --yaml',
  'upgrade',
  'upgrade bundle',
  'upgrade bundle lint',
  'upgrade bundle lint missing.yaml',
  'upgrade bundle lint broken.yaml',
  'upgrade bundle lint typo.yaml',
  'upgrade bundle lint bundle-7.yaml -o xml',
  'upgrade bundle sign bundle-7.yaml',
  'upgrade bundle sign bundle-7.yaml --key public.pem',
  'upgrade bundle verify bundle-7.yaml --public-key public.pem',
  'upgrade bundle verify bundle-7.yaml --signature require',
  'upgrade bundle show bundle-7.yaml --kubernetes new',
  'upgrade bundle diff bundle-7.yaml',
  'upgrade bundle latest index.yaml --channel edge',
  'upgrade bundle latest index.yaml --release v9.9.9',
  'upgrade bundle resolve',
  'upgrade bundle resolve bundle-bad.yaml --mirror x',
  'upgrade bundle resolve bundle-bad.yaml --registry-config bundle-bad.yaml',
  'upgrade check',
  'upgrade check skew',
  'upgrade check skew --snapshot missing.yaml',
  'upgrade check skew --snapshot typo.yaml',
  'upgrade check skew --snapshot skewed.yaml --policy typo.yaml',
  'upgrade check crd old-crd.yaml',
  'upgrade check crd bundle-7.yaml new-crd.yaml',
  'upgrade check objects',
  'upgrade check deprecations',
  'upgrade check deprecations --snapshot missing.yaml',
  'upgrade check manifests -f missing',
  'upgrade check metrics old-metrics.txt bundle-7.yaml',
  'upgrade check placement -f manifests',
  'upgrade check release bundle-6.yaml typo.yaml',
  'upgrade explain bundle-7.yaml 1.1',
  'upgrade explain plan.json 9.9',
  'upgrade explain plan.md 1.1',
  'upgrade explain plan.json',
  'upgrade plan',
  'upgrade plan --bundle bundle-7.yaml',
  `upgrade plan ${antrea} --context north`,
  'upgrade snapshot --kubeconfig missing',
  'upgrade snapshot --refresh all',
  `upgrade plan ${antrea} --nodes none`,
  `upgrade plan ${antrea} --soak soon`,
  `upgrade plan ${antrea} --canary nowhere`,
  `upgrade plan ${antrea} --wave-share 50%,10%`,
  `upgrade plan ${eks} --check plan.json`,
];

/** The plan that `upgrade explain` and `--check` read, and its steps are explained. */
export const planLine = `upgrade plan ${antrea} -o json`;
export const explainedStep = (id: string): string => `upgrade explain plan.json ${id}`;
export const checkPlanLine = `upgrade plan ${antrea} --check plan.json`;

/** The commands whose output is not recorded by lines of this file, and where it is looked at instead. */
export const recordedElsewhere: Readonly<Record<string, string>> = {
  'agent run': 'agent/agent-process.envtest.test.ts',
  'agent trace': 'agent/trace.test.ts',
  'agent cleanup': 'agent/agent-process.envtest.test.ts',
  'controller leader': 'golden/processes.test.ts',
  'controller member': 'golden/processes.test.ts',
  'handover leader': 'handover/handover.test.ts',
  'handover member': 'handover/handover.test.ts',
  'sandbox up': 'golden/processes.test.ts',
  // Its signature is another one each time.
  'upgrade bundle sign': 'upgrade/bundle/signing.test.ts',
};
