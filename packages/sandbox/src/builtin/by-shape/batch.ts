import { matchesLabels, parseRfc3339 } from '@isthmus/machinery';
import type { LabelSelectorObject } from '@isthmus/machinery';
import type { Stored } from '../../store/stored.ts';
import { none, selectorText } from '../columns/cell-texts.ts';
import { containerColumns } from '../columns/container-columns.ts';
import { ageColumn, defineColumns, nameColumn } from '../columns/define-columns.ts';
import type { Errors } from '../field-checks.ts';
import { nonNegative, when } from '../field-checks.ts';
import { invalid, notSupported, required } from '../field-rules.ts';
import { humanDuration } from '../name-and-age.ts';
import type { PodTemplate } from '../pods/pod-template.ts';
import { mismatchErrors, readSelector, templateDefaults, templateErrors } from '../pods/pod-template.ts';
import { lengthAt, textAt } from '../selectable-fields.ts';
import { defineShaped, emptyStatus } from './define-shaped.ts';
import { builtInType } from '../types/load.ts';
import { orderedBy } from '../pods/in-type-order.ts';

interface JobSpec {
  readonly parallelism?: number | undefined;
  readonly completions?: number | undefined;
  readonly backoffLimit?: number | undefined;
  readonly backoffLimitPerIndex?: number | undefined;
  readonly activeDeadlineSeconds?: number | undefined;
  readonly ttlSecondsAfterFinished?: number | undefined;
  readonly completionMode?: string | undefined;
  readonly suspend?: boolean | undefined;
  readonly manualSelector?: boolean | undefined;
  readonly podFailurePolicy?: object | undefined;
  readonly podReplacementPolicy?: string | undefined;
  readonly selector?: LabelSelectorObject | undefined;
  readonly template: PodTemplate;
}

interface JobShape extends Stored {
  readonly spec: JobSpec;
  readonly status?: {
    readonly startTime?: string;
    readonly completionTime?: string;
    readonly succeeded?: number;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

interface CronJobShape extends Stored {
  readonly spec: {
    readonly schedule?: string;
    readonly suspend?: boolean;
    readonly successfulJobsHistoryLimit?: number;
    readonly failedJobsHistoryLimit?: number;
    readonly jobTemplate: { readonly spec: JobSpec };
  };
  readonly status?: { readonly lastScheduleTime?: string };
}

const jobType = () => builtInType('batch/v1', 'Job');

export const job = defineShaped({
  group: 'batch',
  kind: 'Job',
  plural: 'jobs',
  categories: ['all'],
  generation: 'spec',
  defaults: {
    'spec.parallelism': 1,
    'spec.manualSelector': false,
    'spec.completionMode': 'NonIndexed',
    'spec.suspend': false,
  },
  selectable: { 'status.successful': (object) => textAt(object, 'status.succeeded') || '0' },
  fixed: [
    'spec.selector',
    'spec.completionMode',
    'spec.podFailurePolicy',
    'spec.backoffLimitPerIndex',
    'spec.managedBy',
    'spec.successPolicy',
  ],
  errors: (object, before) => [
    ...selectionErrors(object),
    ...jobErrors('spec', specOf(object)),
    ...(before === undefined ? [] : changeErrors(specOf(object), specOf(before))),
  ],
  strategy: {
    defaults: (object) => withTemplateLabels({ ...object, spec: jobDefaults(specOf(object)) }),
    prepareForCreate: orderedBy(jobType, (object) => ({
      ...object,
      ...withSelector(object),
      status: emptyStatus(jobType()),
    })),
  },
  columns: defineColumns<JobShape>({
    Name: nameColumn,
    Status: ['string', jobState],
    Completions: ['string', completionsOf],
    Duration: ['string', durationOf],
    Age: ageColumn,
    ...containerColumns('spec.template', 'wide'),
    Selector: ['wide', ({ spec }) => selectorText(spec.selector)],
  }),
});

export const cronJob = defineShaped({
  group: 'batch',
  kind: 'CronJob',
  plural: 'cronjobs',
  shortNames: ['cj'],
  categories: ['all'],
  generation: 'spec',
  errors: (object) => cronJobErrors(object as CronJobShape),
  strategy: {
    defaults(object) {
      const { spec } = object as CronJobShape;
      const { jobTemplate } = spec;
      const template = templateDefaults(jobTemplate.spec.template);
      return { ...object, spec: { ...spec, jobTemplate: { ...jobTemplate, spec: { ...jobTemplate.spec, template } } } };
    },
  },
  defaults: {
    'spec.concurrencyPolicy': 'Allow',
    'spec.suspend': false,
    'spec.successfulJobsHistoryLimit': 3,
    'spec.failedJobsHistoryLimit': 1,
  },
  columns: defineColumns<CronJobShape>({
    Name: nameColumn,
    Schedule: ['string', 'spec.schedule'],
    Timezone: ['string', 'spec.timeZone', none],
    Suspend: ['boolean', ({ spec }) => (spec.suspend === true ? 'True' : 'False')],
    Active: ['integer', (object) => lengthAt(object, 'status.active')],
    'Last Schedule': ['string', ({ status }, now) => ageOfTime(status?.lastScheduleTime, now) ?? none],
    Age: ageColumn,
    ...containerColumns('spec.jobTemplate.spec.template', 'wide'),
    Selector: ['wide', ({ spec }) => selectorOrNone(spec.jobTemplate.spec.selector)],
  }),
});

function specOf(object: Stored): JobSpec {
  return object['spec'] as JobSpec;
}

function jobDefaults(spec: JobSpec): JobSpec {
  const alone = spec.completions === undefined && spec.parallelism === undefined;
  return {
    ...spec,
    ...(alone && { completions: 1 }),
    backoffLimit: spec.backoffLimit ?? (spec.backoffLimitPerIndex === undefined ? 6 : 2 ** 31 - 1),
    template: templateDefaults(spec.template),
    podReplacementPolicy:
      spec.podReplacementPolicy ?? (spec.podFailurePolicy === undefined ? 'TerminatingOrFailed' : 'Failed'),
  };
}

/** A Job without labels has those of its template. */
function withTemplateLabels(object: Stored): Stored {
  const { labels } = specOf(object).template.metadata ?? {};
  const has = Object.keys(object.metadata.labels ?? {}).length > 0;
  return labels === undefined || has ? object : { ...object, metadata: { ...object.metadata, labels } };
}

/** Selects the Pods of a Job by its uid, unless the Job sets `manualSelector`. */
function withSelector(object: Stored): Pick<Stored, 'metadata'> & { readonly spec: JobSpec } {
  const { metadata } = object;
  const spec = specOf(object);
  if (spec.manualSelector === true) return { metadata, spec };
  const own = {
    'job-name': metadata.name,
    'batch.kubernetes.io/job-name': metadata.name,
    'controller-uid': metadata.uid ?? '',
    'batch.kubernetes.io/controller-uid': metadata.uid ?? '',
  };
  const uid = { 'batch.kubernetes.io/controller-uid': metadata.uid ?? '' };
  const { labels } = spec.template.metadata ?? {};
  // Labels that the Job has from its template are one map on the real server, and get these too.
  const areShared = labels !== undefined && metadata.labels === labels;
  return {
    metadata: areShared ? { ...metadata, labels: { ...own, ...labels } } : metadata,
    spec: {
      ...spec,
      selector: { ...spec.selector, matchLabels: { ...uid, ...spec.selector?.matchLabels } },
      template: { ...spec.template, metadata: { ...spec.template.metadata, labels: { ...own, ...labels } } },
    },
  };
}

function jobErrors(path: string, spec: JobSpec): Errors {
  return [
    ...nonNegative(`${path}.parallelism`, spec.parallelism),
    ...nonNegative(`${path}.completions`, spec.completions),
    ...nonNegative(`${path}.activeDeadlineSeconds`, spec.activeDeadlineSeconds),
    ...nonNegative(`${path}.backoffLimit`, spec.backoffLimit),
    ...nonNegative(`${path}.ttlSecondsAfterFinished`, spec.ttlSecondsAfterFinished),
    ...when(
      spec.completionMode === 'Indexed' && spec.completions === undefined,
      required(`${path}.completions`, 'when completion mode is Indexed'),
    ),
    ...templateErrors(`${path}.template`, spec.template),
    ...restartErrors(`${path}.template.spec.restartPolicy`, spec.template.spec?.restartPolicy),
  ];
}

/** The Pods of a Job come to an end. */
function restartErrors(path: string, restartPolicy = ''): Errors {
  if (restartPolicy === '' || restartPolicy === 'Always') return [required(path, 'valid values: "OnFailure", "Never"')];
  return when(
    restartPolicy !== 'OnFailure' && restartPolicy !== 'Never',
    notSupported(path, restartPolicy, ['OnFailure', 'Never']),
  );
}

/**
 * The selector must be the server's, unless the Job sets `manualSelector`. It must also select the
 * labels of the template.
 */
function selectionErrors(object: Stored): Errors {
  const { selector, manualSelector, template } = specOf(object);
  const read = readSelector(selector);
  if (read === undefined || read === 'nothing') return [];
  const { uid = '', name } = object.metadata;
  const own = { 'batch.kubernetes.io/controller-uid': uid, 'batch.kubernetes.io/job-name': name };
  const isOwn = manualSelector === true || matchesLabels(read, { ...own, 'controller-uid': uid, 'job-name': name });
  return [
    ...when(!isOwn, invalid('spec.selector', selector, '`selector` not auto-generated')),
    ...mismatchErrors('spec.template', read, template),
  ];
}

/** The template may change only while the Job is suspended. */
function changeErrors(spec: JobSpec, before: JobSpec): Errors {
  const changed = (name: 'template' | 'completions') => JSON.stringify(spec[name]) !== JSON.stringify(before[name]);
  return [
    ...when(
      spec.completionMode !== 'Indexed' && changed('completions'),
      invalid('spec.completions', spec.completions ?? null, 'field is immutable'),
    ),
    ...when(
      before.suspend !== true && changed('template'),
      invalid('spec.template', spec.template, 'field is immutable'),
    ),
  ];
}

function cronJobErrors({ metadata, spec }: CronJobShape): Errors {
  const { schedule = '', jobTemplate } = spec;
  return [
    ...(schedule === '' ? [] : scheduleErrors('spec.schedule', schedule)),
    ...nonNegative('spec.successfulJobsHistoryLimit', spec.successfulJobsHistoryLimit),
    ...nonNegative('spec.failedJobsHistoryLimit', spec.failedJobsHistoryLimit),
    ...jobErrors('spec.jobTemplate.spec', jobTemplate.spec),
    ...when(
      jobTemplate.spec.manualSelector === true,
      notSupported('spec.jobTemplate.spec.manualSelector', true, ['nil', 'false']),
    ),
    ...when(metadata.name.length > 52, invalid('metadata.name', metadata.name, 'must be no more than 52 characters')),
  ];
}

/** Five fields, or a name such as `@hourly`. */
function scheduleErrors(path: string, schedule: string): Errors {
  if (/^@(yearly|annually|monthly|weekly|daily|midnight|hourly|every \S+)$/.test(schedule)) return [];
  const fields = schedule.trim().split(/\s+/);
  if (fields.length === 5 && fields.every((field) => /^[\dA-Za-z*?/,-]+$/.test(field))) return [];
  const found = `expected exactly 5 fields, found ${fields.length}: [${fields.join(' ')}]`;
  return [invalid(path, schedule, fields.length === 5 ? `failed to parse: ${schedule}` : found)];
}

function jobState({ metadata, status }: JobShape): string {
  const has = (type: string) => status?.conditions?.some((one) => one.type === type && one.status === 'True') === true;
  if (has('Complete')) return 'Complete';
  if (has('Failed')) return 'Failed';
  if (metadata.deletionTimestamp !== undefined) return 'Terminating';
  return ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'].find(has) ?? 'Running';
}

function completionsOf({ spec, status }: JobShape): string {
  const succeeded = status?.succeeded ?? 0;
  if (spec.completions !== undefined) return `${succeeded}/${spec.completions}`;
  const { parallelism = 0 } = spec;
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function durationOf({ status }: JobShape, now: number): string {
  const ms = msBetween(status?.startTime, status?.completionTime, now);
  return ms === undefined ? '' : humanDuration(ms);
}

function selectorOrNone(selector: LabelSelectorObject | undefined): string {
  return selector === undefined ? none : selectorText(selector);
}

/** The age of a time, in the short form of kubectl; undefined if there is no time. */
function ageOfTime(time: string | null | undefined, now: number): string | undefined {
  const at = time === null || time === undefined ? undefined : parseRfc3339(time);
  return at === undefined ? undefined : humanDuration(now - at);
}

/**
 * Milliseconds from the first time to the second, by default to now; undefined without a first
 * time.
 */
function msBetween(from: string | undefined, to: string | undefined, now: number): number | undefined {
  const start = from === undefined ? undefined : parseRfc3339(from);
  if (start === undefined) return undefined;
  return ((to === undefined ? undefined : parseRfc3339(to)) ?? now) - start;
}
