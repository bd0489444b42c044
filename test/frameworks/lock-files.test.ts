import { join } from "node:path";

import { beforeAll, describe, expect, it } from "vitest";

import { createRepository } from "../support/journey-repository.ts";
import { type UsedSystem, useSystem } from "../support/use-system.ts";

let system: UsedSystem;
beforeAll(async () => {
  system = await useSystem();
});

const manifest = (packageManager?: string) =>
  JSON.stringify({
    ...{ name: "shop", version: "1.0.0", private: true, packageManager },
    scripts: { start: "node index.js" },
    dependencies: { "is-odd": "3.0.1" },
  });

const differs = (command: string) =>
  `The lock file does not match package.json. Run \`${command}\` on your own machine, and commit the lock file.`;

type Case = {
  readonly files: Readonly<Record<string, string>>;
  readonly install_command?: string;
  readonly hint: string;
};

/** Lock files without the dependency of package.json, and none. */
const cases: Readonly<Record<string, Case>> = {
  pnpm: {
    files: {
      "package.json": manifest("pnpm@10.15.0"),
      "pnpm-lock.yaml": "lockfileVersion: '9.0'\n\nimporters:\n\n  .: {}\n",
    },
    hint: differs("pnpm install"),
  },
  "pnpm without a lock file": {
    files: { "package.json": manifest("pnpm@10.15.0") },
    install_command: "pnpm install --frozen-lockfile",
    hint: "The repository has no pnpm-lock.yaml. Run `pnpm install`, and commit the file.",
  },
  Yarn: {
    files: {
      "package.json": manifest("yarn@4.9.2"),
      ".yarnrc.yml": "nodeLinker: node-modules\nenableTelemetry: false\n",
      "yarn.lock":
        '__metadata:\n  version: 8\n\n"shop@workspace:.":\n  version: 0.0.0-use.local\n  resolution: "shop@workspace:."\n  languageName: unknown\n  linkType: soft\n',
    },
    hint: differs("yarn install"),
  },
  "Yarn 1": {
    files: { "package.json": manifest("yarn@1.22.22"), "yarn.lock": "# yarn lockfile v1\n" },
    hint: differs("yarn install"),
  },
  Bun: {
    files: {
      "package.json": manifest(),
      "bun.lock": '{ "lockfileVersion": 1, "workspaces": { "": { "name": "shop" } }, "packages": {} }\n',
    },
    // Bun cannot be installed for a server from the npm registry alone.
    install_command: "npx --yes bun@1.4.5 install --frozen-lockfile",
    hint: differs("bun install"),
  },
};

describe("a lock file that does not match package.json fails the installation with a hint:", () => {
  it.each(Object.entries(cases))("%s", async (what, { files, install_command, hint }) => {
    const name = what.toLowerCase().replaceAll(" ", "-");
    const repository = await createRepository(join(system.folder, name));
    await repository.commit(files);
    const { id } = await system.api.createProject({
      ...{ name, server_id: system.local.server_id, repository: repository.path },
      ...(install_command === undefined ? {} : { install_command }),
    });
    const started = await system.api.start(id);
    const { failure } = await system.api.ended(started.id);
    const log = await system.api.log(started.id);
    expect(failure, log.map(({ message }) => message).join("\n")).toMatchObject({
      code: "install_failed",
      hint,
    });
  });
});
