import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { chartFiles } from '../generate/chart/chart.ts';
import { chartArchive } from './chart-archive.ts';
import { readTar } from './image/tar.ts';

describe('the archive of the chart', () => {
  it('has its files in one folder of its name, without test values', () => {
    const paths = readTar(gunzipSync(chartArchive(chartFiles('1.2.3')))).map(({ path }) => path);
    expect(paths).toEqual(
      expect.arrayContaining(['isthmus/Chart.yaml', 'isthmus/values.yaml', 'isthmus/templates/crds.yaml']),
    );
    expect(paths.filter((path) => !path.startsWith('isthmus/') || path.includes('/ci/'))).toEqual([]);
  });

  it('has the same bytes for the same files, in whatever order they come', () => {
    const files = chartFiles('1.2.3');
    const turned = Object.fromEntries(Object.entries(files).toReversed());
    expect(chartArchive(turned).equals(chartArchive(files))).toBe(true);
    expect(chartArchive(chartFiles('1.2.4')).equals(chartArchive(files))).toBe(false);
  });
});
