import { desktopPackage } from "#project-files/frameworks/app-beside-page.ts";
import { composeProblem } from "#project-files/compose/compose-problem.ts";
import { COMPOSE, otherKind } from "#project-files/frameworks/other-kinds.ts";
import { packageInstallCommand } from "#project-files/frameworks/package-manager.ts";
import { workspaceSigns } from "#project-files/frameworks/preset-for.ts";
import type { PlatformSettings } from "#project-files/frameworks/platform-settings.ts";
import type { Tree } from "#project-files/frameworks/tree.ts";
import { type FileProblem, shown } from "#project-files/processes/file-problem.ts";

const MOST_NAMED = 8;

/** The settings that help every project. */
const SETTINGS =
  "Set output_directory to the folder to publish (`.` is all files), with build_command if it is built, or define the process web in a Procfile (`web: COMMAND`).";

const listed = (names: readonly string[]) => names.slice(0, MOST_NAMED).map(shown).join(", ");

/** Why the files of a project without a known framework are neither published nor started, and what to do. */
export function noSite(tree: Tree): FileProblem {
  const { signs, folders, scripts } = tree;
  const names = [...signs.keys()].flatMap((sign) => /^file:([^/]+)$/.exec(sign)?.[1] ?? []);
  const visible = names.filter((name) => !name.startsWith(".") || name === ".meteor");
  const because = (what: string) =>
    `there is nothing to publish: no framework is detected, index.html is neither at the top nor in public, ${what}`;
  const rootHint = `Set root_directory to the folder of the app, such as ${listed(folders)}.`;
  const isWorkspace = workspaceSigns.some((sign) => signs.has(sign));
  if (isWorkspace)
    return {
      message: because("and this is the root of a workspace, not one of its apps"),
      hint: folders.length === 0 ? "Set root_directory to the folder of the app." : rootHint,
    };
  const { platform } = tree;
  if (platform !== null && folders.length === 0 && otherKind(visible)?.file === platform.file)
    return {
      message: because(`and the settings of ${shown(platform.file)} are for another platform`),
      hint: platformHint(platform),
    };
  const kind = otherKind(visible);
  if (kind?.what === COMPOSE && folders.length === 0 && tree.compose !== null)
    return composeProblem(tree.compose);
  if (kind !== null && (folders.length === 0 || !isVague(kind.what)))
    return {
      message: because(`and ${shown(kind.file)} is of ${kind.what}, which Gantry does not build by itself`),
      hint: kind.hint,
    };
  if (folders.length > 0)
    return {
      message: because(
        folders.length === 1
          ? `but the folder ${listed(folders)} may have an app`
          : `but the folders ${listed(folders)} may have apps`,
      ),
      hint: `${rootHint} Each app is a project of its own.`,
    };
  const pages = names.filter((name) => /\.x?html?$/i.test(name));
  const other = pages.find((name) => /^index\.x?html?$/i.test(name));
  if (other !== undefined)
    return {
      message: because(`only ${shown(other)}, which is another name on a server`),
      hint: "Rename it to index.html.",
    };
  if (pages.length > 0)
    return {
      message: because(`only ${listed(pages)}`),
      hint: "Rename the first page to index.html, or set output_directory to `.` to publish all files without one.",
    };
  const desktop = desktopPackage(tree);
  if (desktop !== null)
    return {
      message: because(
        `and package.json depends on ${desktop}: an app for the desktop is neither a site nor a server`,
      ),
      hint: "Deploy the site with its downloads from another repository, or set build_command and output_directory if the app has a page for browsers too.",
    };
  const storybook = signs.has("script:build-storybook") || signs.has("file:.storybook");
  if (storybook) {
    const install = packageInstallCommand(tree.packageManager);
    return {
      message: because("and the components of Storybook are built by a command of their own"),
      hint: `Set build_command to \`${install} && npx storybook build\`, and output_directory to \`storybook-static\`.`,
    };
  }
  if (signs.has("npm:expo")) {
    const install = packageInstallCommand(tree.packageManager);
    return {
      message: because("and package.json depends on expo, whose site is built by a command of its own"),
      hint: `Set build_command to \`${install} && npx expo export --platform web\`, and output_directory to \`dist\`.`,
    };
  }
  if (signs.has("file:package.json"))
    return {
      message: because(
        scripts.size === 0
          ? "and package.json has no scripts"
          : "and package.json has neither a script start that starts a server nor a script build",
      ),
      hint: `Add the script that is missing to package.json. ${SETTINGS}`,
    };
  const without = ["_redirects", "_headers", ".well-known"].find((name) => names.includes(name));
  if (without !== undefined)
    return {
      message: because(`only ${shown(without)}`),
      hint: "Set output_directory to `.` to publish the files without an index.html.",
    };
  if (names.length === 0) return { message: because("and the folder is empty"), hint: SETTINGS };
  const texts = names.filter((name) =>
    /^(?:readme|license|changelog|contributing)|\.(?:md|txt|rst|adoc)$/i.test(name),
  );
  const isText = names.every((name) => texts.includes(name) || name.startsWith("."));
  return {
    message: because(
      isText
        ? `only ${listed(texts)}`
        : `and no file says how the project is built (it has ${listed(visible)})`,
    ),
    hint: SETTINGS,
  };
}

function platformHint({ output, command }: PlatformSettings): string {
  const build = command === null ? "" : `build_command to ${shown(command)}`;
  const folder = output === null ? "" : `output_directory to \`${output}\``;
  const both = [build, folder].filter((part) => part !== "").join(", and ");
  return `Set ${both}${output === null ? ", and output_directory to the folder that it writes" : ""}. Gantry runs no command of this file by itself.`;
}

/** Whether a kind says little about the app, so that the folders with apps say more. */
function isVague(what: string): boolean {
  return /Docker|build of its own|another platform/.test(what);
}
