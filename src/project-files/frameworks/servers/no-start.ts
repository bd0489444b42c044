import { presetName } from "#project-files/frameworks/preset-names.ts";
import { scriptKind } from "#project-files/frameworks/servers/script-kind.ts";
import type { Tree } from "#project-files/frameworks/tree.ts";
import { shown } from "#project-files/processes/file-problem.ts";

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
  ({ signs, python: { wsgi, asgi } }) => {
    const own = ownServer(signs);
    if (own !== null && wsgi === null && asgi === null) return own;
    const isAsync = kind === "asgi" || (kind === null && wsgi === null && asgi !== null);
    if ((kind === null ? (wsgi ?? asgi) : kind === "wsgi" ? wsgi : asgi) === null)
      return { why: `no file creates ${title}: looked in ${PYTHON_PLACES}`, hint: null };
    const server = isAsync ? "uvicorn" : "gunicorn";
    return {
      why: `none of its Python packages is a server, such as ${server}`,
      hint: `add ${server} to its Python packages`,
    };
  };

/** Packages of Python with a server of their own, and how it gets the port. */
const ownServers: Readonly<Record<string, string>> = {
  gradio: "GRADIO_SERVER_NAME=127.0.0.1 GRADIO_SERVER_PORT=$PORT .venv/bin/python3 app.py",
  datasette: ".venv/bin/datasette serve data.db --host 127.0.0.1 --port $PORT",
  chainlit: ".venv/bin/chainlit run app.py --headless --host 127.0.0.1 --port $PORT",
  panel: ".venv/bin/panel serve app.py --address 127.0.0.1 --port $PORT --allow-websocket-origin=DOMAIN",
  shiny: ".venv/bin/shiny run app.py --host 127.0.0.1 --port $PORT",
  marimo: ".venv/bin/marimo run app.py --headless --host 127.0.0.1 --port $PORT",
  voila: ".venv/bin/voila notebook.ipynb --no-browser --Voila.ip=127.0.0.1 --port=$PORT",
  mesop: ".venv/bin/mesop main.py --port $PORT",
  mlflow: ".venv/bin/mlflow server --host 127.0.0.1 --port $PORT",
  "apache-superset": ".venv/bin/gunicorn --bind 127.0.0.1:$PORT 'superset.app:create_app()'",
  nicegui: ".venv/bin/python3 main.py` with `ui.run(port=int(os.environ['PORT']), reload=False)",
};

function ownServer(signs: Tree["signs"]): NoStart | null {
  const name = Object.keys(ownServers).find((one) => signs.has(`pip:${one}`));
  return name === undefined
    ? null
    : {
        why: `${signs.get(`pip:${name}`) ?? name}, which has a server of its own, and no file says how it is started`,
        hint: `write a Procfile such as \`web: ${ownServers[name] ?? ""}\``,
      };
}

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

const node = ({ scripts, signs, folders }: Tree): NoStart => {
  if (signs.has("file:nx.json"))
    return {
      why: "this is the root of a workspace of Nx, and no script starts one of its apps",
      hint: `set build_command to build one app, such as \`npx nx build ${folders[0]?.split("/").at(-1) ?? "NAME"}\`, and for a server define the process web, such as \`web: node dist/apps/NAME/main.js\`, or for a site set output_directory, such as \`dist/apps/NAME\``,
    };
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
    why: "there is neither a folder public nor an index.php, also not in web, webroot, pub, public_html, htdocs and docroot",
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
