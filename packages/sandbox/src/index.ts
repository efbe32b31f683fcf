export type { Sandbox, SandboxOptions, TransportOptions } from './sandbox.ts';
export { createSandbox } from './sandbox.ts';
export { sharedCompiler } from './definition/compile-version.ts';
export type { VersionCompiler } from './definition/compile-version.ts';
export type { SandboxImage } from './crd/image.ts';
export type { Admin, ObjectChange } from './admin.ts';
export type { Credentials } from './authentication/authenticator.ts';
export type { UserInfo } from './request/user-info.ts';
export type { KindUse, ServedKind } from './served-kinds.ts';
export { servedKinds } from './served-kinds.ts';
// Bodies
export { ByteQueue } from './answer/byte-queue.ts';
// Over a socket
export type { Authority, KeyPair, Subject } from './https/authority.ts';
export { apiServerNames, createAuthority } from './https/authority.ts';
export type { HttpsSandbox, ServeHttpsOptions } from './https/serve-https.ts';
export type { ExecTarget } from './actions/pod-streams.ts';
export { serveHttps } from './https/serve-https.ts';
// Controllers that make a cluster live: clients of any API server
export type {
  ClusterControllers,
  ClusterControllersOptions,
  ControllerName,
} from './controllers/cluster-controllers.ts';
export { controllerNames, createClusterControllers } from './controllers/cluster-controllers.ts';
export type { MintToken } from './controllers/identity/token-secrets.ts';
export type { KubeletOptions, SimulatedNode } from './controllers/nodes/simulated-node.ts';
export type {
  ContainerLog,
  ContainerRef,
  ContainerStreams,
  ExecOptions,
  ExecProcess,
  LogLine,
} from './core/container-streams.ts';
export type { ContainerExit, ContainerRun, PodPlace, PodRuntime, RuntimePod } from './controllers/nodes/pod-runtime.ts';
export { SimulationAnnotation } from './controllers/nodes/simulated-node.ts';
// A whole cluster
export type { ClusterNode, SandboxCluster, SandboxClusterOptions } from './controllers/sandbox-cluster.ts';
export { startSandboxCluster } from './controllers/sandbox-cluster.ts';
