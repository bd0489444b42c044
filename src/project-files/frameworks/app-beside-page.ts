import { otherKind } from "#project-files/frameworks/other-kinds.ts";
import type { Tree } from "#project-files/frameworks/tree.ts";
import { type FileProblem, shown } from "#project-files/processes/file-problem.ts";

/** Files of which an app is built, not a site. Others, such as a Dockerfile, are also beside the pages of a site. */
const appFiles =
  /^(?:Trunk\.toml|Cargo\.toml|mix\.exs|pom\.xml|build\.gradle(?:\.kts)?|build\.sbt|Package\.swift|.+\.(?:cs|fs|vb)proj)$/;

/** Packages of Python that answer requests, and are used for nothing else. */
const pythonServers = [
  ...[
    "bottle",
    "cherrypy",
    "daphne",
    "dash",
    "falcon",
    "gradio",
    "gunicorn",
    "hypercorn",
    "litestar",
    "pyramid",
  ],
  ...["quart", "sanic", "starlette", "streamlit", "tornado", "uvicorn", "waitress"],
];

/**
 * Why the page at the top of a repository is not the whole site: an app is beside it, whose source code must not be
 * published. Null if none is known.
 */
export function appBesidePage(tree: Tree): FileProblem | null {
  const found = builtApp(tree) ?? pythonApp(tree) ?? nodeApp(tree) ?? functionApp(tree) ?? desktopApp(tree);
  if (found === null) return null;
  return {
    message: `index.html is not published as it is, because ${found.why}`,
    hint: `${found.hint} To publish the files as they are, set output_directory to \`.\`.`,
  };
}

type Found = { readonly why: string; readonly hint: string };

function builtApp({ signs }: Tree): Found | null {
  const files = [...signs.keys()].flatMap((sign) => (sign.startsWith("file:") ? [sign.slice(5)] : []));
  const names = files.filter((name) => appFiles.test(name));
  const kind = otherKind(names);
  if (kind === null) return null;
  const isRust = /^(?:Trunk|Cargo)\.toml$/.test(kind.file);
  return {
    why: isRust
      ? `${kind.file} says that the site is built from it`
      : `${shown(kind.file)} says that the repository is an app of ${kind.what}`,
    hint: isRust
      ? "Set build_command, such as `trunk build --release`, and output_directory, such as `dist`."
      : kind.hint,
  };
}

const DEFINE_WEB = "Define the process web in a Procfile (`web: COMMAND`)";

function pythonApp({ python, signs }: Tree): Found | null {
  const { wsgi, asgi, streamlit } = python;
  const target = wsgi ?? asgi;
  const file = streamlit ?? (target === null ? null : `${target.module.replaceAll(".", "/")}.py`);
  if (file !== null)
    return {
      why: `${shown(file)} creates an app of Python`,
      hint: `${DEFINE_WEB}, and list the packages of the app in a requirements.txt.`,
    };
  const sign = pythonServers.find((name) => signs.has(`pip:${name}`));
  if (sign === undefined) return null;
  return { why: `${signs.get(`pip:${sign}`) ?? sign}, which answers requests`, hint: `${DEFINE_WEB}.` };
}

function nodeApp({ signs }: Tree): Found | null {
  if (!signs.has("server.js:answers")) return null;
  return {
    why: "server.js starts a server",
    hint: "Define the process web in a Procfile (`web: node server.js`), or add a package.json with a script start.",
  };
}

function functionApp({ signs }: Tree): Found | null {
  const file = signs.get("function");
  if (file === undefined) return null;
  return {
    why: `${shown(file)} is a function of another platform, which does not run here and whose source visitors could read`,
    hint: "Move the site into the folder public to publish it without its functions. Gantry runs functions only as an app: a program that listens on PORT, as the process web.",
  };
}

/** Packages with which a page becomes a program with a window. */
const desktopPackages = ["electron", "@tauri-apps/cli", "nw"];

/** The package that makes a project an app for the desktop; null for others. */
export function desktopPackage({ signs }: Tree): string | null {
  return desktopPackages.find((name) => signs.has(`npm:${name}`)) ?? null;
}

function desktopApp(tree: Tree): Found | null {
  const name = desktopPackage(tree);
  if (name === null) return null;
  return {
    why: `package.json depends on ${name}: it is the page of an app for the desktop`,
    hint: "Deploy the site with its downloads from another repository, or put it into the folder public.",
  };
}

/** What a person may not expect of a site: functions that do not run, settings without effect, and sources that are shown. */
export function siteNotes(
  tree: Tree,
  { output, hasFallback }: { readonly output: string; readonly hasFallback: boolean },
): readonly string[] {
  const { signs } = tree;
  const file = signs.get("function");
  const rules = signs.get("rules");
  return [
    ...(file === undefined
      ? []
      : [
          `${shown(file)} is a function of another platform, and does not run: requests to it are missing pages`,
        ]),
    ...(rules === undefined
      ? []
      : [
          `redirects, rewrites and headers of ${shown(rules)} have no effect: write them into _redirects and _headers${hasFallback ? "" : ", and set fallback for a single-page app"}`,
        ]),
    ...(output !== "." ? [] : [...phpNote(tree), ...sourceNote(tree), ...apacheNote(tree)]),
  ];
}

/** Programs that a page could load, and that are often something else. */
const shownSources = /^(?!setup\.py$)[^/]+\.(?:py|sh|bash|ps1|bat|r|R|jl|lua|ipynb|tcl|awk)$/;

function sourceNote({ signs }: Tree): readonly string[] {
  const names = topFiles(signs).filter((name) => shownSources.test(name));
  const [first] = names;
  if (first === undefined) return [];
  const others = names.length === 1 ? "" : ` and ${names.length - 1} more`;
  return [
    `visitors can read ${shown(first)}${others}, beside index.html: if they are not meant to, move the site into the folder public`,
  ];
}

function apacheNote({ signs }: Tree): readonly string[] {
  if (!signs.has("file:.htaccess")) return [];
  return [
    ".htaccess is for Apache, and has no effect: write redirects into _redirects, and headers into _headers",
  ];
}

function topFiles(signs: Tree["signs"]): readonly string[] {
  return [...signs.keys()].flatMap((sign) => /^file:([^/]+)$/.exec(sign)?.[1] ?? []);
}

/** The programs of PHP at the top of a static site, which do not run. */
function phpNote({ signs }: Tree): readonly string[] {
  const names = topFiles(signs).filter((name) => /\.php$/i.test(name));
  const [first] = names;
  if (first === undefined) return [];
  const what =
    names.length === 1
      ? `${shown(first)} does not run and is`
      : `${shown(first)} and ${names.length - 1} more do not run and are`;
  return [
    `${what} not shown, because index.html makes this a static site. For an app of PHP, rename index.html to index.php`,
  ];
}
