import { labelsText, none, orNone } from '../columns/cell-texts.ts';
import { ageColumn, defineColumns, nameColumn } from '../columns/define-columns.ts';

interface ServiceShape {
  readonly spec?: {
    readonly type?: string;
    readonly externalIPs?: readonly string[];
    readonly externalName?: string;
    readonly ports?: readonly { readonly port: number; readonly protocol?: string; readonly nodePort?: number }[];
    readonly selector?: Readonly<Record<string, string>>;
  };
  readonly status?: {
    readonly loadBalancer?: { readonly ingress?: readonly { readonly ip?: string; readonly hostname?: string }[] };
  };
}

export const serviceColumns = defineColumns<ServiceShape>({
  Name: nameColumn,
  Type: ['string', 'spec.type'],
  'Cluster-IP': ['string', 'spec.clusterIPs.0', none],
  'External-IP': ['string', externalIp],
  'Port(s)': ['string', portsText],
  Age: ageColumn,
  Selector: ['wide', ({ spec }) => labelsText(spec?.selector)],
});

function externalIp({ spec = {}, status }: ServiceShape): string {
  const { externalIPs = [] } = spec;
  switch (spec.type) {
    case 'ClusterIP':
    case 'NodePort':
      return orNone(externalIPs.join(','));
    case 'LoadBalancer': {
      const ingress = (status?.loadBalancer?.ingress ?? []).map(({ ip = '', hostname = '' }) => ip || hostname);
      const balanced = [...new Set(ingress)].filter((each) => each !== '').toSorted((a, b) => (a < b ? -1 : 1));
      return [...balanced, ...externalIPs].join(',') || '<pending>';
    }
    case 'ExternalName':
      return spec.externalName ?? '';
    default:
      return '<unknown>';
  }
}

function portsText({ spec }: ServiceShape): string {
  const texts = (spec?.ports ?? []).map(
    ({ port, protocol = '', nodePort = 0 }) => `${port}${nodePort > 0 ? `:${nodePort}` : ''}/${protocol}`,
  );
  return orNone(texts.join(','));
}
