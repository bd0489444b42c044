import { presetName } from "#contract/frameworks/presets.ts";
import { scriptKind } from "#contract/frameworks/servers/script-kind.ts";
import type { Tree } from "#contract/frameworks/tree.ts";
import { shown } from "#contract/processes/file-problem.ts";

/** Where the command of an app was looked for, and what to add so that it is found. */
type NoStart = {
  readonly why: string;
  /** The beginning of a sentence; null if only a setting helps. */
  readonly hint: string | null;
};

/** Why the preset of a framework does not know how this app is started; null for a framework without a server. */
export function noStart(framework: string, tree: Tree): NoStart | null {
  const name = presetName(framework);
  const find = Object.hasOwn(reasons, name) ? reasons[name] : undefined;
  return find === undefined ? null : find(tree);
}

const PYTHON_PLACES =
  "app.py, main.py, wsgi.py, asgi.py and other files at the top, in the folders there, and in src, backend, server, app and api";

const python =
  (title: string, kind: "wsgi" | "asgi" | null): ((tree: Tree) => NoStart) =>
  ({ python: { wsgi, asgi } }) => {
    const isAsync = kind === "asgi" || (kind === null && wsgi === null && asgi !== null);
    if ((kind === null ? (wsgi ?? asgi) : kind === "wsgi" ? wsgi : asgi) === null)
      return { why: `no file creates ${title}: looked in ${PYTHON_PLACES}`, hint: null };
    const server = isAsync ? "uvicorn" : "gunicorn";
    return {
      why: `none of its Python packages is a server, such as ${server}`,
      hint: `add ${server} to its Python packages`,
    };
  };

const django = ({ python: { wsgi, asgi } }: Tree): NoStart =>
  wsgi === null && asgi === null
    ? {
        why: "neither the settings that manage.py names nor a wsgi.py or asgi.py beside them have its app",
        hint: null,
      }
    : {
        why: "none of its Python packages is a server, such as gunicorn",
        hint: "add gunicorn to its Python packages",
      };

const node = ({ scripts }: Tree): NoStart => {
  const start = scripts.get("start");
  const script =
    start === undefined
      ? "package.json has no script start"
      : `the script start of package.json starts no server for visitors (${shown(start)})`;
  const kind = start === undefined ? "" : scriptKind(start, scripts);
  return {
    why: `${script}, and none of server.js, index.js, app.js and main.js is at the top, in src or in server`,
    hint:
      kind === "development"
        ? "add a script start to package.json that runs the app, such as `node server.js`"
        : "add a script start to package.json",
  };
};

const reasons: Readonly<Record<string, (tree: Tree) => NoStart>> = {
  django,
  flask: python("an app of Flask", "wsgi"),
  fastapi: python("an app of FastAPI", "asgi"),
  python: python("an app of a framework for the web", null),
  go: () => ({
    why: "the module has no package main at its top, in cmd or in a folder of its own, or several with other names than `server`, `web`, `app` and `api`",
    hint: null,
  }),
  php: () => ({
    why: "there is neither a folder public nor an index.php",
    hint: "put its index.php into public",
  }),
  ruby: ({ signs }) =>
    signs.has("file:config.ru")
      ? { why: "none of its gems is a server, such as puma", hint: "add the gem puma" }
      : { why: "there is no config.ru", hint: "add a config.ru and the gem puma" },
  redwood: () => ({
    why: "package.json has no script start",
    hint: "add a script start to package.json, such as `rw serve`",
  }),
  ...Object.fromEntries(["nest", "hono", "express", "node", "vite"].map((name) => [name, node])),
};
