// Put in by the build (cli/install/extension.ts): the version of package.json.
declare const TRILANE_VERSION: string;
