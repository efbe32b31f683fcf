import { defineColumns } from '../columns/define-columns.ts';
import { ageOf } from '../name-and-age.ts';

interface ApiServiceShape {
  readonly spec?: { readonly service?: { readonly namespace?: string; readonly name?: string } };
  readonly status?: {
    readonly conditions?: readonly { readonly type?: string; readonly status?: string; readonly reason?: string }[];
  };
}

export const apiServiceColumns = defineColumns<ApiServiceShape>(
  { Name: 'name', Service: 'string', Available: 'string', Age: 'string' },
  (object, now) => {
    const { service } = object.spec ?? {};
    const where = service === undefined ? 'Local' : `${service.namespace ?? ''}/${service.name ?? ''}`;
    return [object.metadata.name, where, availabilityOf(object), ageOf(object, now)];
  },
);

function availabilityOf({ status }: ApiServiceShape): string {
  const condition = status?.conditions?.find(({ type }) => type === 'Available');
  if (condition === undefined) return 'Unknown';
  return condition.status === 'True' ? 'True' : `${condition.status ?? ''} (${condition.reason ?? ''})`;
}
