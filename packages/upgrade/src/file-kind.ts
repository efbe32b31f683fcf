/** The API group of all kinds of files in this package. Their objects are files; none is stored in an API server. */
export const upgradeGroup = 'upgrade.isthmus.dev';

/** The version of all of them; a change that an older reader would misread raises it. */
export const upgradeVersion = 'v1alpha1';
