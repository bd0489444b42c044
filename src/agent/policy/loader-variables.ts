/** The ends of names, for what many tools have one of. */
const suffixes = [
  "_BINARY_PATH",
  "_CDNURL",
  "_LIBRARY_PATH",
  "_MIRROR",
  "_OPTS",
  "_PRELOAD",
  "_WRAPPER",
] as const;

/** The beginnings of names, each for a program that reads many variables, and the harmless ones among them. */
const prefixes: ReadonlyMap<string, readonly string[]> = new Map([
  // The dynamic linker, shells, git.
  ["LD_", []],
  ["DYLD_", []],
  ["BASH_", []],
  ["GIT_", ["GIT_BRANCH", "GIT_COMMIT", "GIT_REVISION", "GIT_SHA"]],
  ["XDG_", []],
  // JavaScript.
  ["NPM_CONFIG_", []],
  ["PNPM_", []],
  ["YARN_", []],
  ["COREPACK_", []],
  ["BUN_", []],
  ["DENO_", []],
  ["TS_NODE_", []],
  ["TSX_", []],
  ["ELECTRON_", []],
  ["ESBUILD_", []],
  ["NX_", []],
  ["TURBO_", []],
  ["PRISMA_", []],
  ["PUPPETEER_", []],
  ["PLAYWRIGHT_", []],
  ["CYPRESS_", []],
  ["SENTRYCLI_", []],
  // Python.
  [
    "PYTHON",
    [
      "PYTHONDONTWRITEBYTECODE",
      "PYTHONFAULTHANDLER",
      "PYTHONHASHSEED",
      "PYTHONIOENCODING",
      "PYTHONUNBUFFERED",
      "PYTHONUTF8",
    ],
  ],
  ["PIP_", []],
  ["UV_", ["UV_THREADPOOL_SIZE"]],
  ["POETRY_", []],
  ["PIPENV_", []],
  ["PDM_", []],
  ["UVICORN_", []],
  ["GUNICORN_", []],
  // Ruby, Perl, PHP, Lua.
  ["RUBY", ["RUBY_YJIT_ENABLE"]],
  ["GEM_", []],
  ["BUNDLE_", ["BUNDLE_DEPLOYMENT", "BUNDLE_FROZEN", "BUNDLE_JOBS", "BUNDLE_WITHOUT"]],
  ["PERL", []],
  ["PHP_INI_", []],
  ["COMPOSER", ["COMPOSER_AUTH", "COMPOSER_NO_INTERACTION"]],
  ["LUA_", []],
  // The JVM and .NET.
  ["JAVA_", []],
  ["JDK_", []],
  ["_JAVA_", []],
  ["MAVEN_", []],
  ["GRADLE_", []],
  ["ORG_GRADLE_", []],
  ["DOTNET_", ["DOTNET_ENVIRONMENT"]],
  ["CORECLR_", []],
  ["COMPLUS_", []],
  ["NUGET_", []],
  // Compiled languages, and Erlang.
  ["CARGO", []],
  ["RUST", ["RUST_BACKTRACE", "RUST_LOG"]],
  ["CGO_", []],
  ["CMAKE_", []],
  ["PKG_CONFIG", []],
  ["ERL_", []],
  ["ELIXIR_", []],
  ["MIX_", ["MIX_ENV"]],
  ["HEX_", []],
  // What installs tools, and what loads plugins.
  ["MISE_", []],
  ["ASDF_", []],
  ["OPENSSL_", []],
  ["LIBMYSQL_", []],
  ["MAGICK_", []],
  ["CURL_", []],
]);

const names: ReadonlySet<string> = new Set([
  ...["PATH", "HOME", "SHELL", "ENV", "SHELLOPTS", "PS4", "CDPATH", "IFS"],
  ...[
    "EDITOR",
    "VISUAL",
    "PAGER",
    "BROWSER",
    "LESSOPEN",
    "LESSCLOSE",
    "SSH_ASKPASS",
    "GCONV_PATH",
    "LOCPATH",
  ],
  // Who is trusted on the way to a registry.
  ...["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE"],
  ...["NODE_EXTRA_CA_CERTS", "NODE_TLS_REJECT_UNAUTHORIZED", "WGETRC", "NETRC"],
  ...["NODE_OPTIONS", "NODE_PATH", "NODE_REPL_EXTERNAL_MODULE", "NODE_CONFIG_DIR", "VIRTUAL_ENV"],
  ...["FLASK_DEBUG", "FLASK_APP", "WERKZEUG_DEBUG_PIN", "IRBRC", "RAKEOPT", "PHPRC", "CLASSPATH"],
  "ASPNETCORE_HOSTINGSTARTUPASSEMBLIES",
  ...[
    "GOENV",
    "GOFLAGS",
    "GOPATH",
    "GOPROXY",
    "GOROOT",
    "GOSUMDB",
    "GONOSUMDB",
    "GONOSUMCHECK",
    "GOINSECURE",
  ],
  ...["GOTOOLCHAIN", "GOTOOLDIR", "GOVCS", "GOBIN", "GOPRIVATE", "GONOPROXY"],
  ...["CC", "CXX", "CPP", "AR", "LD", "CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS", "CPATH", "LIBRARY_PATH"],
  ...["C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "COMPILER_PATH", "GCC_EXEC_PREFIX"],
  ...["MAKEFLAGS", "GNUMAKEFLAGS", "MAKEFILES"],
  ...["AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE", "KUBECONFIG", "DOCKER_CONFIG", "DOCKER_HOST"],
  "GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES",
  ...["PSQLRC", "PGSYSCONFDIR"],
]);

/** `value`: null for a secret. */
export type NamedVariable = { readonly name: string; readonly value: string | null };

/**
 * Whether a variable is known to make a shell, a language or a package manager load code, start another
 * program, or trust another source of packages. Others can do so too in one app or another, so the list is not complete.
 */
export function loadsCode({ name, value }: NamedVariable): boolean {
  // Presets use it without quotes, so that more words would be options of the program.
  if (name === "PORT") return value === null || !/^\d*$/.test(value);
  // npm reads its own in lower case too.
  const upper = name.toUpperCase();
  if (names.has(upper) || suffixes.some((end) => upper.endsWith(end))) return true;
  return [...prefixes].some(([start, harmless]) => upper.startsWith(start) && !harmless.includes(upper));
}
