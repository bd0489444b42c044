import { files, type Form } from "#project-files/frameworks/form.ts";
import { node, python, type Recipe, ruby } from "#project-files/frameworks/recipes.ts";
import type { Tree } from "#project-files/frameworks/tree.ts";

/** The output directory of a site generator: what its configuration names, or else its usual one. */
export const siteIn =
  (usual: string) =>
  ({ siteOutput }: Tree): Form =>
    siteOutput === null ? files(usual) : files(siteOutput, `its configuration names ${siteOutput}`);

/** Sphinx, whose folder has conf.py. */
const sphinxFolder = ({ signs }: Tree): string =>
  ["docs/source", "docs", "source"].find((folder) => signs.has(`file:${folder}/conf.py`)) ?? ".";
/** Where Sphinx writes. */
export const sphinxOutput = "_build/html";

/** Sphinx has a folder for its sources. */
export const sphinx: Recipe = (tree) =>
  python(`sphinx-build -b html ${sphinxFolder(tree)} ${sphinxOutput}`)(tree);

/** Pelican, with its settings for publishing if there are some. */
export const pelican: Recipe = (tree) =>
  python(
    `pelican content --settings ${tree.signs.has("file:publishconf.py") ? "publishconf.py" : "pelicanconf.py"} --output output`,
  )(tree);

/** Bridgetown builds its scripts and styles with Node. */
export const bridgetown: Recipe = (tree) => {
  const { install, build } = ruby("BRIDGETOWN_ENV=production", "bridgetown deploy")(tree);
  if (!tree.signs.has("file:package.json")) return { install, build };
  const packages = node([], null)(tree).install;
  return { install: [install, packages].filter((line) => line !== null).join(" && "), build };
};

/** Antora is a program of Node, which a project may have among its packages. */
export const antora: Recipe = (tree) =>
  tree.signs.has("file:package.json")
    ? node(["build"], "antora antora-playbook.yml")(tree)
    : { install: null, build: "npx --yes antora antora-playbook.yml" };
