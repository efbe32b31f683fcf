/**
 * One operation of a user with a tool, in the order of the list: each needs the results of those
 * before it.
 */
export interface Operation {
  /** A sentence about what is done. */
  readonly title: string;
  readonly program: 'kubectl' | 'helm' | 'client-node' | 'isthmus';
  /**
   * `NAMESPACE` is replaced by the namespace of the run, `MANIFESTS` and `CHART` by directories.
   * For the clients: the name of the call.
   */
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** What kubectl does while the operation runs, a second after its start. */
  readonly meanwhile?: readonly string[] | undefined;
  /**
   * Which part of the output differs between servers rightly (another set of kinds, another
   * version), and is not compared.
   */
  readonly ignores?: RegExp | undefined;
  /** The lines come in an order that differs from call to call: kubectl 1.31 walks a map. */
  readonly anyOrder?: true | undefined;
  /**
   * The same line comes once for each of some Pods: how many of them are on a Node differs from run
   * to run.
   */
  readonly anyNumber?: true | undefined;
}

const kubectl = (title: string, line: string, more: Partial<Operation> = {}): Operation => ({
  title,
  program: 'kubectl',
  args: line.split(' ').map((word) => word.replaceAll('·', ' ')),
  ...more,
});
const helm = (title: string, line: string, more: Partial<Operation> = {}): Operation => ({
  title,
  program: 'helm',
  args: line.split(' '),
  ...more,
});
const client = (title: string, call: string): Operation => ({ title, program: 'client-node', args: [call] });
const isthmus = (title: string, call: string): Operation => ({ title, program: 'isthmus', args: [call] });

const sed = (expression: string) => ({ KUBE_EDITOR: `sed -i -e ${expression}` });

/** How far a rollout has come when it is asked for differs from run to run. */
const waiting = /^Waiting for .*\n/gm;
const nodeTimes = /^ +(Ready|MemoryPressure|DiskPressure|PIDPressure) .*\n|^ +(RenewTime|AcquireTime):.*\n/gm;
/**
 * The sandbox's controllers write none; and within its first minute a real server may call a
 * ClusterIP not allocated.
 */
const events = /^Events:[^]*/gm;
/**
 * The conditions of a Deployment come in the order in which they changed last, which differs from
 * run to run.
 */
const conditions = /"conditions":\[[^\]]*\]/g;
/** Pods come in the order of their random names. */
const endpoints = /^Endpoints:.*\n|^Events:[^]*/gm;

/**
 * Everything that `npm run test:tools` does, and that the recording proxy listens to. `·` means
 * a blank within a word.
 */
export const operations: readonly Operation[] = [
  kubectl('cluster-info shows where the control plane is', 'cluster-info'),
  kubectl('version shows both versions', 'version -o json', { ignores: /^\s+"(git|build|go|comp|plat|emul|min).*$/gm }),
  kubectl(
    'api-resources lists the kinds of the core group',
    'api-resources --api-group= --namespaced=true --no-headers',
  ),
  kubectl('api-resources lists names by verb', 'api-resources --api-group=apps --verbs=list,watch -o name'),
  kubectl(
    'api-resources wide lists verbs and categories',
    'api-resources --api-group=rbac.authorization.k8s.io -o wide',
  ),
  // Helm leaves the resource definition of the chart behind, here that of the run with the other
  // version.
  kubectl('api-versions lists groups', 'api-versions', { ignores: /^greeting\.example\.com\/.*\n/gm }),
  kubectl('get --raw shows an answer as it is', 'get --raw /livez'),
  kubectl('create namespace', 'create namespace NAMESPACE'),
  kubectl('create namespace again fails', 'create namespace NAMESPACE'),
  kubectl('get of what is not there fails', 'get configmap none'),
  kubectl('get of a kind that is not there fails', 'get nothings'),
  kubectl('an empty list is reported', 'get deployments'),
  kubectl('create from literals', 'create configmap literal --from-literal=a=1 --from-literal=b=2'),
  kubectl(
    'create --dry-run=client prints what would be',
    'create configmap dry --from-literal=a=1 --dry-run=client -o yaml',
  ),
  kubectl('create --dry-run=server asks', 'create configmap dry --from-literal=a=1 --dry-run=server -o name'),
  kubectl('create secret', 'create secret generic literal --from-literal=password=hunter2'),
  kubectl('create serviceaccount', 'create serviceaccount worker'),
  kubectl('create role', 'create role reader --verb=get,list --resource=configmaps,secrets'),
  kubectl('create rolebinding', 'create rolebinding reader --role=reader --serviceaccount=NAMESPACE:worker'),
  kubectl(
    'create clusterrole --dry-run=server',
    'create clusterrole NAMESPACE-x --verb=get --resource=nodes --dry-run=server',
  ),
  kubectl('create service', 'create service clusterip plain --tcp=80:8080'),
  kubectl('create deployment', 'create deployment plain --image=example.com/plain:1 --replicas=0'),
  kubectl('create -f makes several kinds', 'create -f MANIFESTS/shop.yaml'),
  kubectl('create -f again fails for each', 'create -f MANIFESTS/shop.yaml'),
  kubectl('apply creates', 'apply -f MANIFESTS/config.yaml'),
  kubectl('apply again changes nothing', 'apply -f MANIFESTS/config.yaml'),
  kubectl('diff shows what apply would change', 'diff -f MANIFESTS/config-changed.yaml'),
  kubectl(
    'apply --dry-run=server shows what would be',
    'apply --dry-run=server -o jsonpath={.data} -f MANIFESTS/config-changed.yaml',
  ),
  kubectl('apply changes', 'apply -f MANIFESTS/config-changed.yaml'),
  kubectl('diff without a difference prints nothing', 'diff -f MANIFESTS/config-changed.yaml'),
  kubectl('apply rejects unknown fields', 'apply -f MANIFESTS/config-misspelt.yaml'),
  kubectl(
    'apply --validate=warn warns of them',
    'apply --validate=warn --dry-run=server -f MANIFESTS/config-misspelt.yaml',
  ),
  kubectl('apply over what create made warns', 'apply -f MANIFESTS/shop.yaml'),
  kubectl(
    'apply --server-side conflicts with client-side apply',
    'apply --server-side --field-manager=other -f MANIFESTS/config.yaml',
  ),
  kubectl(
    'apply --server-side --force-conflicts wins',
    'apply --server-side --field-manager=other --force-conflicts -f MANIFESTS/config.yaml',
  ),
  kubectl('apply --server-side creates', 'apply --server-side -f MANIFESTS/config.yaml --dry-run=server'),
  kubectl('get one', 'get configmap config'),
  kubectl('get several kinds', 'get deployments,services,secrets,serviceaccounts,roles,rolebindings'),
  kubectl('get all', 'get all'),
  kubectl('get -o wide', 'get deployments,services,configmaps -o wide'),
  kubectl('get -o name', 'get configmaps,secrets -o name'),
  kubectl('get -o json', 'get configmap literal -o json'),
  kubectl('get -o yaml', 'get deployment shop -o yaml'),
  kubectl('get -o yaml with managed fields', 'get configmap config -o yaml --show-managed-fields'),
  kubectl('get -o jsonpath', 'get service shop -o jsonpath={.spec.ports[0]}'),
  kubectl('get -o go-template', 'get secret shop -o go-template={{.data.password}}'),
  kubectl('get -o custom-columns', 'get configmaps -o custom-columns=NAME:.metadata.name,APP:.metadata.labels.app'),
  kubectl('get --show-labels -l', 'get configmaps,services -l app=shop --show-labels'),
  kubectl('get -L', 'get deployments -L app'),
  kubectl('get --field-selector', 'get configmaps --field-selector metadata.name=config -o name'),
  kubectl('get --sort-by', 'get configmaps --sort-by=.metadata.name -o name'),
  kubectl('get --chunk-size', 'get configmaps --chunk-size=1 -o name'),
  kubectl('get namespace', 'get namespace NAMESPACE'),
  kubectl('get -w shows what happens', 'get configmaps -w --request-timeout=3s', {
    meanwhile: ['patch', 'configmap', 'literal', '--type=merge', '-p', '{"data":{"w":"1"}}'],
  }),
  kubectl('get -w -o json shows whole objects', 'get configmap literal -w --request-timeout=2s -o jsonpath={.data.w}'),
  kubectl(
    'get --output-watch-events names them',
    'get configmaps literal -w --output-watch-events --request-timeout=2s',
  ),
  kubectl('get --watch-only is silent where nothing happens', 'get configmaps --watch-only --request-timeout=1s'),
  kubectl('describe configmap', 'describe configmap literal', { anyOrder: true }),
  kubectl('describe secret', 'describe secret shop'),
  kubectl('describe service', 'describe service shop', { ignores: events }),
  kubectl('describe deployment', 'describe deployment shop'),
  kubectl('describe role', 'describe role reader'),
  kubectl('describe serviceaccount', 'describe serviceaccount worker'),
  kubectl('describe namespace', 'describe namespace NAMESPACE'),
  kubectl('edit changes by an editor', 'edit configmap literal', { env: sed('s/^··a:/··aa:/') }),
  kubectl('edit that changes nothing is reported', 'edit configmap literal', { env: sed('s/nothing/x/') }),
  kubectl('edit of an immutable field fails', 'edit service shop', { env: sed('s/clusterIP:.*/clusterIP:·10.0.0.1/') }),
  kubectl(
    'patch strategic',
    'patch deployment shop -p {"spec":{"template":{"spec":{"containers":[{"name":"web","image":"example.com/web:2"}]}}}}',
  ),
  kubectl('patch merge', 'patch configmap literal --type=merge -p {"data":{"b":null,"c":"3"}}'),
  kubectl('patch json', 'patch configmap literal --type=json -p [{"op":"add","path":"/data/d","value":"4"}]'),
  kubectl(
    'patch json of what is not there fails',
    'patch configmap literal --type=json -p [{"op":"remove","path":"/data/zz"}]',
  ),
  kubectl('patch that breaks a rule fails', 'patch service shop --type=merge -p {"spec":{"ports":[{"port":70000}]}}'),
  kubectl('label', 'label configmap literal tier=front'),
  kubectl('label again needs --overwrite', 'label configmap literal tier=back'),
  kubectl('label --overwrite and away', 'label configmap literal tier=back --overwrite'),
  kubectl('label away', 'label configmap literal tier-'),
  kubectl('annotate', 'annotate configmap literal note=x'),
  kubectl('annotate all by selector', 'annotate configmap,secret -l app=shop seen=yes'),
  kubectl('set image', 'set image deployment/shop web=example.com/web:3'),
  kubectl('set env', 'set env deployment/shop COLOR=red'),
  kubectl('scale', 'scale deployment shop --replicas=0 --current-replicas=0'),
  kubectl('scale with a wrong precondition fails', 'scale deployment shop --replicas=2 --current-replicas=7'),
  kubectl('rollout status of what is done', 'rollout status deployment/shop --timeout=20s'),
  kubectl('rollout history', 'rollout history deployment/shop'),
  kubectl('rollout pause', 'rollout pause deployment/shop'),
  kubectl('rollout resume', 'rollout resume deployment/shop'),
  kubectl('rollout restart', 'rollout restart deployment/shop'),
  kubectl('scale up', 'scale deployment shop --replicas=2'),
  kubectl('rollout status waits for Pods', 'rollout status deployment/shop --timeout=30s', { ignores: waiting }),
  kubectl('get Pods', 'get pods -l app=shop'),
  kubectl('get Pods -o wide shows where they are', 'get pods -l app=shop -o wide', { anyOrder: true }),
  kubectl('wait for Pods', 'wait --for=condition=Ready pod -l app=shop --timeout=20s'),
  kubectl('get nodes', 'get nodes -o wide'),
  kubectl('describe node', 'describe node tools-1', { ignores: nodeTimes }),
  kubectl('describe pod', 'describe pods -l app=shop', { anyOrder: true }),
  kubectl(
    'wait for endpoints',
    'wait --for=jsonpath={.endpoints[1].conditions.ready}=true endpointslice -l kubernetes.io/service-name=shop --timeout=20s',
  ),
  kubectl('get endpointslices', 'get endpointslices -l kubernetes.io/service-name=shop'),
  kubectl('describe service with endpoints', 'describe service shop', { ignores: endpoints }),
  kubectl('set image of what runs', 'set image deployment/shop web=example.com/web:4'),
  kubectl('rollout status waits for new Pods', 'rollout status deployment/shop --timeout=30s', { ignores: waiting }),
  kubectl('rollout undo', 'rollout undo deployment/shop'),
  kubectl('rollout status waits for the old ones', 'rollout status deployment/shop --timeout=30s', {
    ignores: waiting,
  }),
  kubectl('delete Pods', 'delete pods -l app=shop'),
  kubectl('rollout status waits for others', 'rollout status deployment/shop --timeout=30s', { ignores: waiting }),
  kubectl('wait for a count', 'wait --for=jsonpath={.status.availableReplicas}=2 deployment/shop --timeout=20s'),
  kubectl('describe deployment that has rolled', 'describe deployment shop', { ignores: events }),
  kubectl('cordon', 'cordon tools-1'),
  kubectl('drain evicts', 'drain tools-1 --pod-selector=app=shop --timeout=30s', { anyOrder: true, anyNumber: true }),
  kubectl('uncordon', 'uncordon tools-1'),
  kubectl('taint', 'taint node tools-1 kind=tools:PreferNoSchedule'),
  kubectl('taint away', 'taint node tools-1 kind-'),
  kubectl('run', 'run pod --image=example.com/web:1 --restart=Never'),
  kubectl('wait for it', 'wait --for=jsonpath={.status.phase}=Running pod/pod --timeout=20s'),
  kubectl('delete at once', 'delete pod pod --now'),
  kubectl('scale down', 'scale deployment shop --replicas=0'),
  kubectl('wait for the end of Pods', 'wait --for=delete pod -l app=shop --timeout=30s', { ignores: /.+\n/g }),
  kubectl('expose', 'expose deployment shop --name=exposed --port=80'),
  kubectl('replace', 'replace -f MANIFESTS/config-changed.yaml'),
  kubectl('run --dry-run=server', 'run pod --image=example.com/web:1 --dry-run=server -o name'),
  kubectl('events', 'get events --field-selector reason=Nothing'),
  kubectl('explain a field', 'explain configmap.data', { ignores: /^DESCRIPTION:[^]*$/m }),
  kubectl('explain --recursive', 'explain deployment.spec --recursive', { ignores: /^DESCRIPTION:[^]*?(?=FIELDS:)/m }),
  kubectl('explain of a field that is not there fails', 'explain deployment.spec.nothing'),
  kubectl('auth can-i', 'auth can-i create deployments'),
  kubectl('auth can-i --list', 'auth can-i --list'),
  kubectl('auth can-i --as', 'auth can-i delete secrets --as=system:serviceaccount:NAMESPACE:worker'),
  kubectl('auth can-i --list --as', 'auth can-i --list --as=system:serviceaccount:NAMESPACE:worker'),
  kubectl('auth whoami', 'auth whoami -o jsonpath={.status.userInfo.groups}'),
  kubectl('get --as is forbidden', 'get pods --as=system:serviceaccount:NAMESPACE:worker'),
  kubectl('create token', 'create token worker', { ignores: /^[\w-]+\.[\w-]+\.[\w-]+$/m }),
  kubectl('create token of nobody fails', 'create token none'),
  kubectl('apply a definition', 'apply -f MANIFESTS/crd.yaml'),
  kubectl(
    'wait for its establishment',
    'wait --for=condition=Established crd/widgets.NAMESPACE.example.com --timeout=20s',
  ),
  kubectl('apply an object of it', 'apply -f MANIFESTS/widget.yaml'),
  kubectl('get it by its short name', 'get wdg'),
  kubectl('explain it', 'explain widgets.spec --recursive'),
  kubectl('patch it against its schema fails', 'patch widget one --type=merge -p {"spec":{"color":"green"}}'),
  kubectl('patch its status', 'patch widget one --subresource=status --type=merge -p {"status":{"size":3}}'),
  kubectl('scale it', 'scale widget one --replicas=5'),
  kubectl('wait for a field of it', 'wait --for=jsonpath={.spec.size}=5 widget/one --timeout=10s'),
  kubectl('wait for what does not come ends', 'wait --for=condition=Ready widget/one --timeout=1s'),
  helm('install', 'install greeting CHART -n NAMESPACE --set greeting=hello'),
  helm('install again fails', 'install greeting CHART -n NAMESPACE'),
  helm('list', 'list -n NAMESPACE -o json'),
  helm('upgrade', 'upgrade greeting CHART -n NAMESPACE --set greeting=bye'),
  helm('get values', 'get values greeting -n NAMESPACE -o json'),
  helm('get manifest', 'get manifest greeting -n NAMESPACE'),
  helm('history', 'history greeting -n NAMESPACE -o json'),
  helm('upgrade --wait waits for Pods', 'upgrade greeting CHART -n NAMESPACE --set replicas=1 --wait --timeout 30s'),
  helm('rollback', 'rollback greeting 1 -n NAMESPACE'),
  helm('status', 'status greeting -n NAMESPACE -o json', { ignores: conditions }),
  helm('template asks the server with --validate', 'template greeting CHART -n NAMESPACE --dry-run=server'),
  helm('uninstall', 'uninstall greeting -n NAMESPACE'),
  // What public charts consist of, and the four commands that docs/sandbox/charts.md has for each
  // of them.
  helm(
    'install --wait of a whole chart',
    'install whole CHART -n NAMESPACE --set whole=true,replicas=1 --wait --timeout 100s',
  ),
  kubectl(
    'get shows all that the chart has installed',
    'get deployments,statefulsets,daemonsets,tunes --no-headers -o name',
  ),
  helm(
    'upgrade --wait of a whole chart',
    'upgrade whole CHART -n NAMESPACE --set whole=true,replicas=2,greeting=bye --wait --timeout 100s',
  ),
  helm('rollback --wait of a whole chart', 'rollback whole 1 -n NAMESPACE --wait --timeout 100s'),
  kubectl('get shows what the rollback has restored', 'get tune whole -o jsonpath={.spec}'),
  helm('uninstall --wait of a whole chart', 'uninstall whole -n NAMESPACE --wait --timeout 100s'),
  kubectl(
    'get finds nothing of it',
    'get statefulsets,daemonsets,jobs,cronjobs,ingresses,networkpolicies,poddisruptionbudgets,tunes -o name',
  ),
  client('lists', 'list'),
  client('patches', 'patch'),
  client('watches', 'watch'),
  client('hears an error with its Status', 'error'),
  isthmus('lists, creates, replaces, patches, applies and deletes', 'objects'),
  isthmus('watches', 'watch'),
  isthmus('lists metadata alone', 'metadata'),
  kubectl('apply makes what is to be pruned', 'apply -f MANIFESTS/pruned.yaml'),
  kubectl('diff --prune shows what would go', 'diff --prune -l prune=yes -f MANIFESTS/pruned-fewer.yaml', {
    anyOrder: true,
  }),
  kubectl('apply --prune removes what the files lack', 'apply --prune -l prune=yes -f MANIFESTS/pruned-fewer.yaml', {
    anyOrder: true,
  }),
  kubectl('get of several kinds after pruning', 'get configmaps,cronjobs,ingresses -l prune=yes -o name'),
  kubectl('create job', 'create job once --image=example.com/web:1'),
  kubectl(
    'get -o jsonpath of a Job',
    'get job once -o jsonpath={.spec.completions}{.spec.template.spec.restartPolicy}',
  ),
  kubectl('create cronjob', 'create cronjob yearly --image=example.com/web:1 --schedule=0·0·1·1·*'),
  kubectl('get cronjobs', 'get cronjobs yearly'),
  kubectl('suspend a CronJob', 'patch cronjob yearly -p {"spec":{"suspend":true}}'),
  kubectl('describe cronjob', 'describe cronjob yearly', { ignores: events }),
  kubectl('create job from a CronJob', 'create job by-hand --from=cronjob/yearly'),
  kubectl('delete jobs', 'delete jobs once by-hand'),
  kubectl('delete cronjob', 'delete cronjob yearly'),
  kubectl('create ingress', 'create ingress web --rule=shop.example.com/=shop:80'),
  kubectl('get ingress', 'get ingress web'),
  kubectl('create poddisruptionbudget', 'create poddisruptionbudget shop --selector=app=shop --min-available=1'),
  kubectl('create priorityclass --dry-run=server', 'create priorityclass NAMESPACE-high --value=5 --dry-run=server'),
  kubectl('create quota', 'create quota few --hard=configmaps=100'),
  kubectl('get quota', 'get quota few -o jsonpath={.spec.hard}'),
  kubectl('autoscale', 'autoscale deployment shop --min=1 --max=3 --dry-run=server -o name'),
  kubectl('create an Event of events.k8s.io', 'create -f MANIFESTS/event.yaml'),
  kubectl('get it from its group', 'get events.v1.events.k8s.io tried -o jsonpath={.note}:{.regarding.name}'),
  kubectl('get it from the core group', 'get events.v1. tried -o jsonpath={.message}:{.involvedObject.name}'),
  kubectl('events of an object', 'events --for=configmap/config', { ignores: /^\d+d/gm }),
  kubectl('explain of a CronJob', 'explain cronjob.spec.schedule', { ignores: /^DESCRIPTION:[^]*$/m }),
  kubectl('explain of an Ingress', 'explain ingress.spec --recursive', { ignores: /^DESCRIPTION:[^]*?(?=FIELDS:)/m }),
  kubectl('explain of a Job by its version', 'explain jobs.spec.completionMode --api-version=batch/v1', {
    ignores: /^DESCRIPTION:[^]*$/m,
  }),
  kubectl('delete one', 'delete configmap literal'),
  kubectl('delete by selector', 'delete configmap,secret -l app=shop'),
  kubectl('delete what is not there fails', 'delete configmap none'),
  kubectl('delete --ignore-not-found', 'delete configmap none --ignore-not-found'),
  kubectl('delete --cascade=orphan', 'delete deployment plain --cascade=orphan'),
  kubectl('delete --all', 'delete deployments --all'),
  kubectl('delete -f', 'delete -f MANIFESTS/crd.yaml'),
  kubectl('wait for deletion', 'wait --for=delete deployment/shop --timeout=10s'),
  kubectl('delete namespace waits for its end', 'delete namespace NAMESPACE --timeout=60s'),
];
