/** What the endpoints of an exported Service are: its ClusterIP, or its Pods (control-plane.md §6.2). */
export type EndpointIPType = 'ClusterIP' | 'PodIP';
