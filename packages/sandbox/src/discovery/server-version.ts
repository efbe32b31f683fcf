/** `/version`: a 1.36, and none that was built from Kubernetes' sources. */
export const serverVersion = {
  major: '1',
  minor: '36',
  emulationMajor: '1',
  emulationMinor: '36',
  minCompatibilityMajor: '1',
  minCompatibilityMinor: '35',
  gitVersion: 'v1.36.3+isthmus',
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '2026-07-22T00:00:00Z',
  goVersion: '',
  compiler: 'node',
  platform: 'linux/amd64',
} as const;
