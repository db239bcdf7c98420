// Put in by the build (cli/install/extension.ts): the version of package.json, and whether it is the package for Firefox.
declare const TRILANE_VERSION: string;
declare const TRILANE_FIREFOX: boolean;
