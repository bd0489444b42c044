import { type KnownFailure, missingVariable } from "#build/failure/known-failure.ts";

const otherSystem = (what: string) =>
  `${what} was not installed for this system: the lock file was written on another one, or optional dependencies are left out. On your own machine, delete node_modules and the lock file, install again, and commit the lock file.`;

const otherNode =
  "The build needs another version of Node. Write the version into the file .nvmrc, such as `22`, and commit it.";

const privatePackage =
  "A package registry or git host did not accept the build's login, or got none. Commit an .npmrc that takes the token from a variable, such as `//npm.pkg.github.com/:_authToken=${NPM_TOKEN}`, and set this secret for builds too.";

const missingScript = (name: string) =>
  `package.json has no script ${name}. Add it, or set the command to what builds the project. If the package.json is in a folder of the repository, set root_directory to this folder.`;

const missingPackage = (name: string) =>
  `The package ${name} is not installed. Check that package.json lists it, and that the install command does not leave out development dependencies, as with NODE_ENV=production.`;

const missingFile = (path: string) =>
  `No file of the repository is named exactly ${path}. Upper and lower case differ on Linux, unlike on macOS and Windows: rename the file with \`git mv\`, or correct the import. Check too that .gitignore does not leave it out, and that what creates it runs before.`;

/** A package that has a program or library for each system, as it is named in an error. */
const FOR_SYSTEM = /Cannot find module ['"]?(?:\.\.?\/)*((?:@[\w.-]+\/)?[\w.-]*\blinux(?:-\w+)+[\w./-]*\w)/;

/** What of an import is a path: a relative one, or one from an alias such as `@/` or `~/`. */
const PATH = String.raw`((?:\.{1,2}|[@~#])\/[^'"\n]+|\/src\/[^'"\n]+)`;
/** A package, without the path in it. */
const PACKAGE = String.raw`((?:@[\w.-]+\/)?[\w-][\w.-]*)(?:\/[^'"\n]*)?`;

/** The ways in which bundlers and Node name a missing module. */
const notFound = (name: string) =>
  new RegExp(
    [
      `Module not found: (?:Error: )?Can't resolve '${name}'`,
      `(?:Rollup failed to resolve import|Could not resolve) ["']${name}["']`,
      `Failed to resolve import ["']${name}["']`,
      `Cannot find (?:module|package) '${name}'`,
      `Could not resolve entry module ["']${name}["']`,
    ].join("|"),
  );

const firstOf = (groups: readonly string[]) => groups.find((group) => group !== "") ?? "";

/** Known failures of Node, its package managers and its build tools, the more specific ones first. */
export const nodeFailures: readonly KnownFailure[] = [
  [FOR_SYSTEM, (name) => otherSystem(`The package ${name}`)],
  [/Could not load the "(sharp)" module using the/, (name) => otherSystem(`The package ${name}`)],
  [/The package "(@esbuild\/[\w-]+)" could not be found/, (name) => otherSystem(`The package ${name}`)],
  [/You installed (esbuild) for another platform/, (name) => otherSystem(`The package ${name}`)],
  [/Failed to load (SWC) binary for linux/, () => otherSystem("The package @next/swc")],
  [/No prebuild or local build of (@parcel\/watcher) found/, (name) => otherSystem(`The package ${name}`)],
  [
    /Cannot find native binding\. npm has a bug|did not find the correct binary for your platform/,
    () => otherSystem("A package"),
  ],
  [
    /Treating warnings as errors because process\.env\.CI = true/,
    () =>
      "Create React App takes warnings for errors if the variable CI is set, as it is in builds. Correct the warnings above, or set build_command to `CI=false npm run build`.",
  ],
  [
    /ERR_OSSL_EVP_UNSUPPORTED|digital envelope routines::unsupported/,
    () =>
      "The bundler is too old for Node 17 and newer. Update it (webpack 5, react-scripts 5), or set the variable NODE_OPTIONS to `--openssl-legacy-provider`.",
  ],
  [
    /npm (?:error|ERR!) code ERESOLVE|ERESOLVE unable to resolve dependency tree/,
    () =>
      "Two packages need different versions of another one. Correct the versions in package.json, or write `legacy-peer-deps=true` into the file .npmrc if it works on your own machine, and commit it with the lock file.",
  ],
  [
    /npm (?:error|ERR!) code EINTEGRITY|ERR_PNPM_TARBALL_INTEGRITY|YN0018/,
    () =>
      "A package has other content than the lock file says. Delete the lock file on your own machine, install again, and commit it.",
  ],
  [
    /ERR_PNPM_LOCKFILE_(?:BREAKING_CHANGE|CONFIG_MISMATCH)/,
    () =>
      "The lock file was written with another version or other settings of pnpm. Run `pnpm install` with the version that package.json names in packageManager, and commit the lock file.",
  ],
  [
    /Cannot find matching keyid/,
    () =>
      "The corepack on the server is too old to check this package manager. Remove corepack from the command: builds get pnpm and Yarn in the version that packageManager names. Or update Node on the server.",
  ],
  [
    /This project is configured to use (\w+)|package\.json defines "packageManager": "(\w+)@|ERR_PNPM_OTHER_PM_EXPECTED/,
    (...names) =>
      `package.json names ${firstOf(names) || "another package manager"} as its packageManager, and the command uses another one or another version. Use it in the command, or remove the field.`,
  ],
  [
    /npm (?:error|ERR!) code E40[13]|ERR_PNPM_FETCH_40[13]|YN0041|npm (?:error|ERR!) code ENEEDAUTH/,
    () => privatePackage,
  ],
  [
    /npm (?:error|ERR!) 404 +'?((?:@[\w.-]+\/)?[\w.-]+)@[^']*'? is not in (?:this|the npm) registry|ERR_PNPM_FETCH_404/,
    (name) =>
      `The registry has no package${name === "" ? "" : ` ${name}`}, or hides it without a login. Correct its name in package.json. ${privatePackage}`,
  ],
  [
    /Permission denied \(publickey\)|Host key verification failed|could not read Username for/,
    () =>
      "A dependency is fetched from a private git repository, for which builds have no login. Use a registry, or an https address with a token from a secret that is set for builds too.",
  ],
  [
    /gyp ERR! (?:find Python|stack Error: not found: make)|Could not find any Python installation to use|gyp ERR! stack Error: `make` failed.*ENOENT|make: g\+\+: No such file/,
    () =>
      "A package has parts in C++, which the server cannot compile. Run `apt-get install python3 build-essential` on the server as root, or what your system has instead.",
  ],
  [
    /Node\.js version "?[^"\n]*"? is required|requires (?:a minimum )?Node\.js version|Node\.js v[\d.]+ is not supported by|crypto\.hash is not a function|ReferenceError: (?:CustomEvent|File) is not defined/,
    () => otherNode,
  ],
  [
    /The engine "node" is incompatible with this module\. Expected version "([^"\n]{1,60})"\. Got "([^"\n]{1,20})"/,
    (wants, has) => `A package needs Node ${wants}, and the build has ${has}. ${otherNode}`,
  ],
  [
    /npm (?:error|ERR!) Missing script: "?([\w:.-]+)"?|ERR_PNPM_NO_SCRIPT\s+Missing script: ([\w:.-]+)|Couldn't find a script named "([\w:.-]+)"|error Command "([\w:.-]+)" not found|Script not found "([\w:.-]+)"/,
    (...names) => missingScript(firstOf(names)),
  ],
  [
    /npm (?:error|ERR!) enoent Could not read package\.json|ERR_PNPM_NO_PKG_MANIFEST|ERR_PNPM_NO_IMPORTER_MANIFEST_FOUND|Couldn't find a package\.json file/,
    () =>
      "There is no package.json where the command runs. If it is in a folder of the repository, set root_directory to this folder.",
  ],
  [
    /"yarn-path" option has been set [^\n]{0,1000}specified location doesn't exist|Cannot find module '[^'\n]{0,1000}\/\.yarn\/releases\/yarn-/,
    () =>
      "The file that yarnPath in .yarnrc.yml names is not in the repository. Commit the folder .yarn/releases, which .gitignore may exclude, or delete the line yarnPath: packageManager in package.json names the version.",
  ],
  [
    /Failed to apply patch for package ((?:@[\w.-]+\/)?[\w.-]{1,100})/,
    (name) =>
      `The patch of ${name} in the folder patches is for another version of it. Commit the lock file, so that the same version is installed, or make the patch again: \`npx patch-package ${name}\`.`,
  ],
  [
    /\bhusky: (?:command )?not found/,
    () =>
      "The script prepare of package.json starts husky, which is not installed, because development dependencies are left out. Write `husky || true` there, or install them.",
  ],
  [
    /@prisma\/client did not initialize yet|Prisma Client could not locate the Query Engine/,
    () => "The client of Prisma is not generated. Let the build command run `prisma generate` first.",
  ],
  [/Environment variable not found: ([A-Z][A-Z0-9_]{1,99})/, missingVariable],
  [
    /Could not find Chrome \(ver|Executable doesn't exist at .*(?:chromium|firefox|webkit)/,
    () =>
      "The browser of Puppeteer or Playwright is not installed. Install it in the install command, such as `npm ci && npx playwright install chromium`, and its libraries on the server.",
  ],
  [
    /error while loading shared libraries: ([\w.+-]+): cannot open/,
    (name) =>
      `The server lacks the library ${name}. On Debian, \`apt-file search ${name}\` names the package to install.`,
  ],
  [
    /ENOSPC: System limit for number of file watchers reached/,
    () =>
      "The command watches files, which the server allows only for a few. A build must not watch: use the command that builds once.",
  ],
  [
    /you're trying to use TypeScript but do not have the required package|error TS2688: Cannot find type definition file for/,
    () =>
      "TypeScript or types are not installed. Check that the install command does not leave out development dependencies, as with NODE_ENV=production.",
  ],
  [
    /differs from (?:already included )?file name .* only in casing/,
    () =>
      "An import and its file differ in upper and lower case, which are not the same on Linux. Rename the file with `git mv`, or correct the import.",
  ],
  [
    /tried to access ([^,\n]{1,214}), but it isn't declared in (?:your|its) dependencies/,
    (name) =>
      `Plug'n'Play allows a package only what its package.json names. Add ${name} to the dependencies, or to packageExtensions of .yarnrc.yml, or write \`nodeLinker: node-modules\` there.`,
  ],
  [notFound(PATH), (...names) => missingFile(firstOf(names))],
  [
    /Cannot find module '(\/[^'\n]+)'/,
    (path) =>
      `There is no file ${path.replace(/^.*\/releases\/\d+\//, "")} in the release. Let the build command create it, or correct its path in the command.`,
  ],
  [notFound(PACKAGE), (...names) => missingPackage(firstOf(names))],
  [
    /exited with code: null and signal: SIGKILL|signal "?SIGKILL"?|^Killed$|\bexit(?:ed with)? (?:code )?137\b/m,
    () =>
      "A program was killed, most likely because it used too much memory. Give the build more memory, or let it run fewer processes at once.",
  ],
];

/** Failures that are often only warnings, so that every other one is more likely. */
export const unlikelyNodeFailures: readonly KnownFailure[] = [
  [/Failed to replace env in config: \$\{([A-Z][A-Z0-9_]{1,99})\}/, missingVariable],
  [
    /fatal: not a git repository/,
    () =>
      "A release has no folder .git. The variables GANTRY_COMMIT, GANTRY_BRANCH and GANTRY_VERSION say what is built.",
  ],
];
