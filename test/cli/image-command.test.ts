import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { imageCommand } from "#cli/builds/image-command.ts";

const build = { source: { top: "/src/My Shop" }, project: null };
const facts = { argNames: ["COLOR", "NPM_TOKEN", "OTHER"], secrets: ["NPM_TOKEN", "MISSING"] };
const image = { dockerfile: { path: "docker/Web Dockerfile", context: ".", target: "web" }, facts };

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "gantry-engines-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function addProgram(name: string): void {
  writeFileSync(join(folder, name), "#!/bin/sh\n");
  chmodSync(join(folder, name), 0o755);
}

describe("gantry build of a Dockerfile", () => {
  const command = () =>
    imageCommand(build, image, { COLOR: "red", NPM_TOKEN: "hush", UNUSED: "1" }, { PATH: folder });

  it("needs podman or docker", async () => {
    expect(await command()).toMatchObject({ ok: false, failure: { code: "containers_missing" } });
  });

  it("passes the variables that the Dockerfile declares, and secrets only where it mounts them", async () => {
    addProgram("docker");
    expect(await command()).toEqual({
      ok: true,
      value: {
        tag: "gantry/my-shop",
        line: "docker build --tag gantry/my-shop --file 'docker/Web Dockerfile' --target web --build-arg COLOR --secret id=NPM_TOKEN,env=NPM_TOKEN .",
      },
    });
    addProgram("podman");
    expect(await command()).toMatchObject({ value: { line: expect.stringMatching(/^podman build /) } });
  });
});
