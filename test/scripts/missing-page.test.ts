import { readdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";

import { expect, it } from "vitest";

import { commands } from "#cli/commands.ts";
import { presets } from "#project-files/frameworks/presets.ts";

import { openApiDocument } from "../../scripts/reference/openapi/document.ts";

const root = resolve(import.meta.dirname, "../..");
const docs = join(root, "docs");

/**
 * For each row of the page's first table, by its words in bold: what would exist if the feature were built. The names are
 * from `existingNames`.
 */
const signs: Readonly<Record<string, RegExp>> = {
  "Databases and their backups": /databases|backup/,
  "Previews of pull requests": /^(path|field|command).*(preview|pull_request)/,
  "Environments of one project, and promotion between them": /environments|promot/,
  "Docker Compose files that run as they are": /^framework compose/,
  "Services in one click": /^(path|field|command) .*(template|marketplace|catalog)/,
  "An interactive console": /console|--tty|--interactive|attach/,
  Autoscaling: /autoscal|(min|max)_instances/,
  "Failover of cron jobs": /failover|field volumes/,
  "Charts of CPU and memory": /^path .*(chart|metrics)|cpu_history/,
  "Log drains": /drains|log_targets/,
  "SAML and SCIM": /saml|scim/,
  "A provider for Terraform or Pulumi": /^folder.*(terraform|pulumi)/,
  "Servers with Windows or macOS": /^installer (Darwin|launchd|Windows)/,
};

/** The paths and fields of the API, the commands with their options, the frameworks, the folders, and words of the installer. */
async function existingNames(): Promise<string[]> {
  const document = openApiDocument("0.0.0");
  const installer = await readFile(join(root, "src/agent/install/installer/install.sh"), "utf8");
  return [
    ...Object.keys(document.paths).map((path) => `path ${path}`),
    ...new Set(fieldsOf(document).map((field) => `field ${field}`)),
    ...commands.flatMap(({ name, options }) => [
      `command ${name}`,
      ...Object.keys(options).map((option) => `option --${option}`),
    ]),
    ...Object.keys(presets).map((name) => `framework ${name}`),
    ...(await readdir(root)).map((name) => `folder ${name}`),
    ...[...installer.matchAll(/Darwin|launchd|Windows/g)].map(([word]) => `installer ${word}`),
  ];
}

/** The names of all properties in a document with JSON schemas. */
function fieldsOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(fieldsOf);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === "properties" && typeof inner === "object" && inner !== null
      ? [...Object.keys(inner), ...fieldsOf(Object.values(inner))]
      : fieldsOf(inner),
  );
}

const page = await readFile(join(docs, "missing.md"), "utf8");
const [, firstTable = ""] = page.split("## Not built");
const titles = [...(firstTable.split("\n## ")[0] ?? "").matchAll(/^\| \*\*(.+?)\*\*/gm)].map(
  ([, title = ""]) => title,
);

it("docs/missing.md lists exactly the features that this test looks for", () => {
  expect(titles).toEqual(Object.keys(signs));
});

it("docs/missing.md lists nothing that exists", async () => {
  const names = await existingNames();
  expect(names.length).toBeGreaterThan(500);
  const found = Object.entries(signs).flatMap(([title, sign]) =>
    names.filter((name) => sign.test(name)).map((name) => `${title}: ${name}`),
  );
  expect(found).toEqual([]);
});

it("each page with a section about what is missing is linked from docs/missing.md", async () => {
  const files = await readdir(docs, { recursive: true });
  const withSection = await Promise.all(
    files
      .filter((file) => file.endsWith(".md") && file !== "missing.md")
      .map(async (file) =>
        (await readFile(join(docs, file), "utf8")).includes("\n## What is missing\n") ? file : null,
      ),
  );
  const pages = withSection.filter((file) => file !== null);
  expect(pages.length).toBeGreaterThan(1);
  expect(pages.filter((file) => !page.includes(`${file}#what-is-missing`))).toEqual([]);
});
