/**
 * CRDs as Antrea shipped them in its first releases (docs/spec/wire.md §2.1): one version each,
 * with fewer fields. Test-only.
 */
export const olderDefinitions = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: serviceexports.multicluster.x-k8s.io
  labels: {app: antrea}
spec:
  group: multicluster.x-k8s.io
  scope: Namespaced
  names: {kind: ServiceExport, listKind: ServiceExportList, plural: serviceexports, singular: serviceexport, shortNames: [svcex]}
  versions:
    - name: v1alpha1
      served: true
      storage: true
      additionalPrinterColumns:
        - {name: Age, type: date, jsonPath: .metadata.creationTimestamp}
      subresources: {status: {}}
      schema:
        openAPIV3Schema:
          type: object
          properties:
            status:
              type: object
              properties:
                conditions:
                  type: array
                  x-kubernetes-list-type: map
                  x-kubernetes-list-map-keys: [type]
                  items:
                    type: object
                    required: [lastTransitionTime, message, reason, status, type]
                    properties:
                      lastTransitionTime: {type: string, format: date-time}
                      message: {type: string, maxLength: 32768}
                      observedGeneration: {type: integer, format: int64, minimum: 0}
                      reason: {type: string, minLength: 1, maxLength: 1024}
                      status: {type: string, enum: ['True', 'False', Unknown]}
                      type: {type: string, maxLength: 316}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: serviceimports.multicluster.x-k8s.io
  labels: {app: antrea}
spec:
  group: multicluster.x-k8s.io
  scope: Namespaced
  names: {kind: ServiceImport, listKind: ServiceImportList, plural: serviceimports, singular: serviceimport, shortNames: [svcim]}
  versions:
    - name: v1alpha1
      served: true
      storage: true
      additionalPrinterColumns:
        - {name: Type, type: string, jsonPath: .spec.type}
        - {name: IP, type: string, jsonPath: .spec.ips}
        - {name: Age, type: date, jsonPath: .metadata.creationTimestamp}
      subresources: {status: {}}
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              required: [ports, type]
              properties:
                ips: {type: array, maxItems: 1, items: {type: string}}
                ports:
                  type: array
                  x-kubernetes-list-type: atomic
                  items:
                    type: object
                    required: [port]
                    properties:
                      appProtocol: {type: string}
                      name: {type: string}
                      port: {type: integer, format: int32}
                      protocol: {type: string}
                sessionAffinity: {type: string}
                sessionAffinityConfig:
                  type: object
                  properties:
                    clientIP: {type: object, properties: {timeoutSeconds: {type: integer, format: int32}}}
                type: {type: string, enum: [ClusterSetIP, Headless]}
            status:
              type: object
              properties:
                clusters:
                  type: array
                  x-kubernetes-list-type: map
                  x-kubernetes-list-map-keys: [cluster]
                  items: {type: object, required: [cluster], properties: {cluster: {type: string}}}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: clustersets.multicluster.crd.antrea.io
  labels: {app: antrea}
spec:
  group: multicluster.crd.antrea.io
  scope: Namespaced
  names: {kind: ClusterSet, listKind: ClusterSetList, plural: clustersets, singular: clusterset}
  versions:
    - name: v1alpha1
      served: true
      storage: true
      subresources: {status: {}}
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              required: [leaders]
              properties:
                leaders: &clusters
                  type: array
                  items:
                    type: object
                    properties:
                      clusterID: {type: string}
                      secret: {type: string}
                      server: {type: string}
                      serviceAccount: {type: string}
                members: *clusters
                namespace: {type: string}
            status:
              type: object
              properties:
                totalClusters: {type: integer, format: int32}
                readyClusters: {type: integer, format: int32}
                observedGeneration: {type: integer, format: int64}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: clusterclaims.multicluster.crd.antrea.io
  labels: {app: antrea}
spec:
  group: multicluster.crd.antrea.io
  scope: Namespaced
  names: {kind: ClusterClaim, listKind: ClusterClaimList, plural: clusterclaims, singular: clusterclaim}
  versions:
    - name: v1alpha1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            name: {type: string}
            value: {type: string}
`;
