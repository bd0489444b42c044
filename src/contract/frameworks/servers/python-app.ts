/**
 * What a server of a Python app calls, such as `shop.wsgi:application`; null if no file says it. `wsgi` is the interface of
 * Django and Flask, `asgi` that of FastAPI and of Django with Channels.
 */
export type PythonApp = { readonly wsgi: string | null; readonly asgi: string | null };

/** The files at the top that usually have the app. */
export const pythonEntries: readonly string[] = ["wsgi.py", "asgi.py", "app.py", "main.py"];

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
  const named = (setting: string) => {
    const pattern = new RegExp(
      `^[ \\t]*${setting}[ \\t]*=[ \\t]*["']([\\w.]{1,200})\\.(\\w{1,100})["']`,
      "m",
    );
    for (const [path, text] of files) {
      const [, module, name] = path.endsWith(".py") ? (pattern.exec(text) ?? []) : [];
      if (module !== undefined && name !== undefined) return `${module}:${name}`;
    }
    return null;
  };
  const made = (name: string) => (files.has(`${folder}/${name}.py`) ? `${folder}.${name}:application` : null);
  return { wsgi: named("WSGI_APPLICATION") ?? made("wsgi"), asgi: named("ASGI_APPLICATION") ?? made("asgi") };
}

const constructors = { wsgi: "Flask", asgi: "FastAPI" } as const;

/** Other apps are the value of a variable, or what a function `create_app` returns. */
function plainApp(files: ReadonlyMap<string, string>): PythonApp {
  const places = [...pythonEntries, "app/__init__.py", "app/main.py"];
  const find = (kind: keyof typeof constructors): string | null => {
    const created = new RegExp(
      `^(\\w{1,100})[ \\t]*(?::[ \\t]*[\\w.]{1,100}[ \\t]*)?=[ \\t]*(?:\\w{1,100}\\.)?${constructors[kind]}\\(`,
      "m",
    );
    for (const path of places) {
      const text = files.get(path) ?? "";
      const isEntry = path === `${kind}.py`;
      const name =
        created.exec(text)?.[1] ??
        (isEntry
          ? /^(app|application)[ \t]*=|\bimport (app|application)\b/m.exec(text)?.slice(1).find(Boolean)
          : undefined) ??
        (kind === "wsgi" && /^def create_app\(/m.test(text) ? "create_app()" : undefined);
      if (name !== undefined) return `${moduleOf(path)}:${name}`;
    }
    return null;
  };
  return { wsgi: find("wsgi"), asgi: find("asgi") };
}

function moduleOf(path: string): string {
  return path
    .replace(/(?:\/__init__)?\.py$/, "")
    .split("/")
    .join(".");
}
