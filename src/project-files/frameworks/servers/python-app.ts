/** An app that a server of Python calls. `module`: such as `shop.wsgi`. `name`: of the variable or function in it. */
export type PythonTarget = {
  readonly module: string;
  readonly name: string;
  /** Whether `name` is a function that returns the app. */
  readonly isFactory: boolean;
  /** The folder from which its modules are imported; null for the project's root directory. */
  readonly path: string | null;
};

/**
 * The app of a Python project; null if no file says it. `wsgi` is the interface of Django and Flask, `asgi` that of FastAPI
 * and of Django with Channels. `streamlit`: the script of a Streamlit app.
 */
export type PythonApp = {
  readonly wsgi: PythonTarget | null;
  readonly asgi: PythonTarget | null;
  readonly streamlit: string | null;
};

/** The usual names of the file with the app, in order of precedence. */
const usualNames = [
  "wsgi",
  "asgi",
  "app",
  "main",
  "application",
  "api",
  "server",
  "run",
  "web",
  "index",
  "__init__",
];

/** The files at the top that usually have the app. */
export const pythonEntries: readonly string[] = ["wsgi.py", "asgi.py", "app.py", "main.py"];

/** A file has its imports at its beginning. */
const MOST_IMPORTS = 200;

/** The folders whose folders may have the app. */
const outerFolders = ["src", "backend", "server", "app", "api"];

/** The files that say that a repository is of Python. */
const manifests = ["requirements.txt", "pyproject.toml", "Pipfile", "setup.py", "setup.cfg", "requirements"];

/** The files that may have the app, as for `deepPaths`. @param files the top-level files */
export function pythonPaths(files: ReadonlyMap<string, string>): readonly string[] {
  if (files.has("manage.py") || !manifests.some((name) => files.has(name))) return [];
  return [
    "*.py",
    "*/*.py",
    ...outerFolders.filter((name) => files.has(name)).map((name) => `${name}/*/*.py`),
  ];
}

/** The module with the settings of Django, as manage.py names it. */
export function settingsModule(manage: string): string | null {
  return /["']DJANGO_SETTINGS_MODULE["'],\s*["']([\w.]{1,200})["']/.exec(manage)?.[1] ?? null;
}

/** Finds the app in the files of a repository. */
export function findPythonApp(files: ReadonlyMap<string, string>): PythonApp {
  const settings = settingsModule(files.get("manage.py") ?? "");
  return settings === null ? plainApp(files) : djangoApp(files, settings);
}

/** Django's settings name the app; its generator makes wsgi.py and asgi.py in the package of the settings. */
function djangoApp(files: ReadonlyMap<string, string>, settings: string): PythonApp {
  const [folder = ""] = settings.split(".");
  const target = (module: string, name: string) => ({ module, name, isFactory: false, path: null });
  const named = (setting: string) => {
    const pattern = new RegExp(
      `^[ \\t]*${setting}[ \\t]*=[ \\t]*["']([\\w.]{1,200})\\.(\\w{1,100})["']`,
      "m",
    );
    for (const [path, text] of files) {
      const [, module, name] = path.endsWith(".py") ? (pattern.exec(text) ?? []) : [];
      if (module !== undefined && name !== undefined) return target(module, name);
    }
    return null;
  };
  const made = (name: string) =>
    files.has(`${folder}/${name}.py`) ? target(`${folder}.${name}`, "application") : null;
  return {
    wsgi: named("WSGI_APPLICATION") ?? made("wsgi"),
    asgi: named("ASGI_APPLICATION") ?? made("asgi"),
    streamlit: null,
  };
}

const constructors = {
  wsgi: "Flask|Bottle|falcon\\.App|APIFlask|OpenAPI",
  asgi: "FastAPI|Starlette|Litestar|Quart|FastHTML|falcon\\.asgi\\.App",
} as const;

/** Other apps are the value of a variable, or what a function such as `create_app` returns. */
function plainApp(files: ReadonlyMap<string, string>): PythonApp {
  const places = [...files.keys()]
    .filter(isAppFile)
    .toSorted((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
  const find = (kind: keyof typeof constructors): PythonTarget | null => {
    const created = new RegExp(
      `^(\\w{1,100})[ \\t]*(?::[ \\t]*[\\w.]{1,100}[ \\t]*)?=[ \\t]*(?:\\w{1,100}\\.)?(?:${constructors[kind]})\\(`,
      "m",
    );
    for (const path of places) {
      const text = files.get(path) ?? "";
      const isEntry = path === `${kind}.py` || path.endsWith(`/${kind}.py`);
      const name =
        created.exec(text)?.[1] ??
        (isEntry
          ? /^(app|application)[ \t]*=|\bimport (app|application)\b/m.exec(text)?.slice(1).find(Boolean)
          : undefined);
      if (name !== undefined) return { ...moduleOf(path, text, files), name, isFactory: false };
      const made = /\bFastAPI\b/.test(text) === (kind === "asgi") ? factory.exec(text)?.[1] : undefined;
      if (made !== undefined) return { ...moduleOf(path, text, files), name: made, isFactory: true };
    }
    return null;
  };
  return { wsgi: find("wsgi"), asgi: namedEntry(files) ?? find("asgi"), streamlit: findStreamlit(files) };
}

/** A function that returns the app. */
const factory = /^def (create_app|make_app|get_app|create_application|get_application)\(/m;

/** The entry point that FastAPI's own command uses. */
function namedEntry(files: ReadonlyMap<string, string>): PythonTarget | null {
  const text = files.get("pyproject.toml") ?? "";
  const at = text.search(/^\[tool\.fastapi\]/m);
  if (at === -1) return null;
  const table = text.slice(at + 1).split(/^\[/m)[0] ?? "";
  const [, module, name] = /^entrypoint[ \t]*=[ \t]*["']([\w.]{1,200}):(\w{1,100})["']/m.exec(table) ?? [];
  return module === undefined || name === undefined ? null : { module, name, isFactory: false, path: null };
}

function findStreamlit(files: ReadonlyMap<string, string>): string | null {
  const usual = [
    "streamlit_app.py",
    "app.py",
    "main.py",
    "Home.py",
    "src/app.py",
    "src/main.py",
    "app/main.py",
  ];
  const uses = (path: string) => /^(?:import|from) streamlit\b/m.test(files.get(path) ?? "");
  return usual.find(uses) ?? null;
}

function isAppFile(path: string): boolean {
  const folders = path.split("/").slice(0, -1);
  return (
    path.endsWith(".py") &&
    !folders.some((name) => /^(?:tests?|docs|examples?|scripts|venv|env|migrations)$/.test(name))
  );
}

/** Files with a usual name first, then those nearer to the top. */
function rank(path: string): number {
  const parts = path.split("/");
  const at = usualNames.indexOf((parts.at(-1) ?? "").replace(/\.py$/, ""));
  const isUsualPlace = parts.length === 1 || (parts.length === 2 && parts[0] === "app");
  return (at === -1 ? 1000 : at) + (isUsualPlace ? 0 : 20) + parts.length * 40;
}

/**
 * The module of a file, and the folder to import it from. That is the root directory, unless the file imports those beside
 * it by their plain names, or is in the folder `src`.
 */
function moduleOf(
  path: string,
  text: string,
  files: ReadonlyMap<string, string>,
): Pick<PythonTarget, "module" | "path"> {
  const parts = path.replace(/(?:\/__init__)?\.py$/, "").split("/");
  const folders = path.split("/").slice(0, -1);
  const [outer = ""] = folders;
  if (folders.length === 0) return { module: parts.join("."), path: null };
  const namesOuter = new RegExp(`^[ \\t]*(?:from|import) ${outer}[. ]`, "m").test(text);
  const isPackage =
    files.has(`${folders.join("/")}/__init__.py`) || /^[ \t]*from \./m.test(text) || namesOuter;
  const imported = [...text.matchAll(/^(?:from|import) (\w{1,100})/gm)].slice(0, MOST_IMPORTS);
  const isBeside = (name: string) =>
    [...files.keys()].some(
      (file) =>
        file === `${folders.join("/")}/${name}.py` || file.startsWith(`${folders.join("/")}/${name}/`),
    );
  if (!isPackage && imported.some(([, name = ""]) => isBeside(name)))
    return { module: parts.slice(folders.length).join("."), path: folders.join("/") };
  const isInSource = outer === "src" && !namesOuter && parts.length > 1;
  return isInSource
    ? { module: parts.slice(1).join("."), path: "src" }
    : { module: parts.join("."), path: null };
}
