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
    /Multiple top-level (?:packages|modules) discovered in a flat-layout/,
    () =>
      "pyproject.toml has a table [project], so the project itself is installed, and setuptools does not know which of its folders is the package. If it is no package, write `[tool.setuptools]` with `packages = []` (or `py-modules = []`) into pyproject.toml.",
  ],
  [
    /[Tt]he "([\w-]{1,60})" preprocessor (?:installed|exited)|preprocessor (?:command )?[`"']?mdbook-([\w-]{1,60})[`"']?[^\n]{0,40}(?:not found|wasn't found)/,
    (...names) => {
      const name = names.find((one) => one !== "") ?? "";
      return `mdBook needs the preprocessor ${name}, which is not on the server or does not fit its version. Install it, such as with \`cargo install mdbook-${name}\`, or make it optional in book.toml.`;
    },
  ],
  [
    /missing go\.sum entry for|updates to go\.mod needed/,
    () => "go.sum does not match go.mod. Run `go mod tidy` on your own machine, and commit both files.",
  ],
  [
    /requires php ([^\n]{1,60}?) (?:but|->) your php version \(([\w.+-]+)/,
    (wants, has) =>
      `A package needs PHP ${wants}, and the server has ${has}. Install this version of PHP, or run \`composer update\` with the server's version and commit composer.lock.`,
  ],
  [
    /BOM detected, make sure your file does not include a Unicode Byte-Order-Mark/,
    () =>
      "composer.json begins with a byte order mark, which Composer refuses. Save it as UTF-8 without one.",
  ],
  [
    /Allowed memory size of \d+ bytes exhausted/,
    () =>
      "PHP used all the memory that its memory_limit allows. For Composer, set the variable COMPOSER_MEMORY_LIMIT to `-1`.",
  ],
  [
    /Could not find 'bundler' \(([\d.]+)\) required by|find gem bundler \(= ?([\d.]+)/,
    (named, found) =>
      `Gemfile.lock was written with another Bundler. Run \`gem install bundler:${named || found}\` on the server, or \`bundle update --bundler\` on your own machine, and commit Gemfile.lock.`,
  ],
  [
    /Could not find a JavaScript runtime|ExecJS::RuntimeUnavailable/,
    () => "The assets need Node. Install it on the server, or add a file .nvmrc with the version to use.",
  ],
  [
    /pg_config executable not found|Can't find the 'libpq-fe\.h|libpq-fe\.h: No such file/,
    () => install("libpq-dev", "The client of PostgreSQL cannot be compiled without its library."),
  ],
  [
    /mysql_config: (?:command )?not found|Specify MYSQLCLIENT_CFLAGS|mysql client is missing|Can not find valid pkg-config name/,
    () =>
      install(
        "default-libmysqlclient-dev pkg-config",
        "The client of MySQL cannot be compiled without its library.",
      ),
  ],
  [
    /libxml2 and libxslt development packages|libxml\/xmlversion\.h: No such file/,
    () => install("libxml2-dev libxslt1-dev", "A package cannot be compiled without libxml2 and libxslt."),
  ],
  [/\bffi\.h: No such file/, () => install("libffi-dev", "A package cannot be compiled without libffi.")],
  [
    /openssl\/\w+\.h: No such file/,
    () => install("libssl-dev", "A package cannot be compiled without OpenSSL."),
  ],
  [
    /\byaml\.h (?:was )?not found|libyaml is missing/,
    () => install("libyaml-dev", "A package cannot be compiled without libyaml."),
  ],
  [
    /The headers or library files could not be found for (?:jpeg|zlib)/,
    () => install("libjpeg-dev zlib1g-dev", "Pillow cannot be compiled without libraries for images."),
  ],
  [
    /can't find Rust compiler|Cargo, the Rust package manager, is not installed/,
    () =>
      install("cargo", "A package has parts in Rust, which the server cannot compile.") +
      " A newer pip may find a compiled package.",
  ],
  [
    /No module named '?(?:distutils|imp)'?|module 'pkgutil' has no attribute 'ImpImporter'/,
    () =>
      "The packages are too old for Python 3.12 and newer. Write an older version, such as `3.11`, into the file .python-version, or update the packages and add setuptools to them.",
  ],
  [
    /No module named '?pkg_resources'?/,
    () => "A package needs `setuptools<81`. Add it to the Python packages.",
  ],
  [
    /externally-managed-environment/,
    () =>
      "The system's Python does not allow the installation of packages. Use a virtual environment: `python3 -m venv .venv && .venv/bin/pip install -r requirements.txt`.",
  ],
  [
    /file:\/\/\/(?:croot|tmp\/build|home\/conda|[A-Z]:)|No such file or directory: '\/(?:croot|tmp\/build|home\/conda)/,
    () =>
      "requirements.txt has paths of another machine, as conda writes them. Write it with `pip list --format=freeze > requirements.txt`, and commit it.",
  ],
  [
    /No matching distribution found for ([\w.[\]-]+)/,
    (name) =>
      `The package ${name} does not exist in this version, or not for this system and version of Python. If \`pip freeze\` has written it on Windows, delete its line, or add \`; sys_platform == "win32"\` to it.`,
  ],
  [
    /No module named '?([A-Za-z_]\w{0,60})/,
    (name) =>
      `No installed Python package has the module ${name}. Add it to the Python packages of the repository, and start programs from .venv/bin.`,
  ],
  [
    /go\.mod requires go >= ([\d.]+) \(running go ([\d.]+)/,
    (wants, has) => `The module needs Go ${wants}, and the server has ${has}. Install a newer Go.`,
  ],
  [
    /you need the extended version to build SCSS|this feature is not available in your current Hugo version/,
    () => "The site needs the extended version of Hugo. Install this one on the server.",
  ],
  [
    /module "([^"\n]{1,100})" not found in "[^"\n]*themes|module "([^"\n]{1,100})" not found; either add it as a Hugo Module/,
    (found, named) =>
      `The repository does not have the theme ${found || named}. Add it as a submodule with \`git submodule add ADDRESS themes/${found || named}\`, and commit.`,
  ],
  [/Missing encryption key to decrypt file with/, () => missingVariable("RAILS_MASTER_KEY")],
  [/Set the ([A-Z][A-Z0-9_]{1,99}) environment variable/, missingVariable],
  [/The (SECRET_KEY) setting must not be empty/, missingVariable],
  [/UndefinedValueError: ([A-Z][A-Z0-9_]{1,99}) not found/, missingVariable],
];
