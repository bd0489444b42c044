import { type KnownFailure, missingVariable } from "#build/failure/known-failure.ts";

/** The Debian packages of PHP's extensions that are not named like them. */
const extensionPackages: Readonly<Record<string, string>> = {
  dom: "xml",
  simplexml: "xml",
  xmlreader: "xml",
  xmlwriter: "xml",
  xsl: "xml",
  mysqli: "mysql",
  pdo_mysql: "mysql",
  pdo_pgsql: "pgsql",
  pdo_sqlite: "sqlite3",
};

const install = (packages: string, what: string) =>
  `${what} Run \`apt-get install ${packages}\` on the server as root, or what your system has instead.`;

/** Known failures of PHP, Ruby, Python and Go, and of the packages that their installations compile. */
export const languageFailures: readonly KnownFailure[] = [
  [
    /requires (?:PHP extension )?ext-(\w+) .*missing from your system/,
    (name) => {
      const found = Object.hasOwn(extensionPackages, name) ? extensionPackages[name] : name;
      return install(`php-${found}`, `The server's PHP has no extension ${name}.`);
    },
  ],
  [
    /The zip extension and unzip\/7z commands are both missing/,
    () => install("unzip", "Composer has no program to unpack packages with."),
  ],
  [
    /mkmf\.rb can't find header files for ruby|You have to install development tools first/,
    () => install("ruby-dev build-essential", "A gem has parts in C, which the server cannot compile."),
  ],
  [
    /fatal error: Python\.h: No such file|error: command '[^']*(?:gcc|cc)' failed: No such file|unable to execute '[^']*gcc'/,
    () =>
      install("python3-dev build-essential", "A package has parts in C, which the server cannot compile."),
  ],
  [
    /cgo: C compiler "[^"]*" not found|exec: "g?cc": executable file not found/,
    () =>
      install(
        "build-essential",
        "A package has parts in C, which the server cannot compile. Set the variable CGO_ENABLED to 0 if the program works without.",
      ),
  ],
  [
    /missing go\.sum entry for|updates to go\.mod needed/,
    () => "go.sum does not match go.mod. Run `go mod tidy` on your own machine, and commit both files.",
  ],
  [/Missing encryption key to decrypt file with/, () => missingVariable("RAILS_MASTER_KEY")],
  [/Set the ([A-Z][A-Z0-9_]{1,99}) environment variable/, missingVariable],
  [/The (SECRET_KEY) setting must not be empty/, missingVariable],
  [/UndefinedValueError: ([A-Z][A-Z0-9_]{1,99}) not found/, missingVariable],
];
