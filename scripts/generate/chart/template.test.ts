import { describe, expect, it } from 'vitest';
import { chartTemplate, when } from './template.ts';

describe('a template of the chart', () => {
  it('quotes an expression that is a whole text, and not one that is a part of it, a number or a boolean', () => {
    const { text, plain, print } = chartTemplate();
    const namespace = text('$.Release.Namespace');
    expect(print([{ namespace, name: `${namespace}-own`, list: [namespace], count: plain('.Values.count') }])).toBe(
      `---
namespace: {{ $.Release.Namespace | quote }}
name: {{ $.Release.Namespace }}-own
list:
  - {{ $.Release.Namespace | quote }}
count: {{ .Values.count }}
`,
    );
  });

  it('leaves a field out where its value is empty', () => {
    const { field, print } = chartTemplate();
    expect(print([{ spec: { tolerations: field('.Values.tolerations') } }])).toBe(`---
spec:
  {{- with .Values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
`);
  });

  it('has room for more entries of a map, and for more items of a list', () => {
    const { entries, items, print } = chartTemplate();
    expect(print([{ labels: { app: 'x', ...entries('.Values.labels') }, env: ['a', items('.Values.env')] }])).toBe(`---
labels:
  app: x
  {{- with .Values.labels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
env:
  - a
  {{- with .Values.env }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
`);
  });

  it('is there on a condition', () => {
    expect(when('.Values.crds.install', 'a: 1\n')).toBe('{{- if .Values.crds.install }}\na: 1\n{{- end }}\n');
  });
});
