import { describe, expect, it } from "vitest";

import { buildCommand } from "#agent/containers/build-script.ts";
import { instanceContainer, jobContainer } from "#agent/containers/run-script.ts";
import { projectFolder } from "#agent/workspace/project-folder.ts";
import type { ReleaseImage } from "#agent/workspace/release-image.ts";

import { ids } from "../support/harness.ts";

const place = {
  folder: projectFolder("/var/lib/gantry", ids.project()),
  environment: { HTTPS_PROXY: "http://proxy:3128", SECRET_OF_THE_AGENT: "hidden" },
};
const image: ReleaseImage = {
  id: "a".repeat(64),
  bytes: 1,
  command: "node server.js",
  directory: "/app",
  user: { uid: 0, gid: 0 },
  ports: [3000],
  shared_paths: [],
};
const run = { image, name: "web-1-0", line: "node server.js", variables: {}, sharedPaths: [] };

function scriptOf(made: ReturnType<typeof jobContainer>): string {
  if (!made.ok) throw new Error(made.reason);
  return made.value.argv[2] ?? "";
}

describe("the script of a container", () => {
  it("has no value of a variable in it", () => {
    const variables = { TOKEN: "s3cret", PATH: "/opt/s3cret", LD_PRELOAD: "s3cret.so" };
    const made = jobContainer(place, { ...run, variables });
    expect(scriptOf(made)).not.toContain("s3cret");
    expect(made).toMatchObject({ value: { env: { TOKEN: "s3cret", PATH: "/usr/local/bin:/usr/bin:/bin" } } });
  });

  it("gets none of the agent's own variables, except how to reach a registry", () => {
    const made = jobContainer(place, run);
    expect(made).toMatchObject({ value: { env: { HTTPS_PROXY: "http://proxy:3128" } } });
    expect(JSON.stringify(made)).not.toContain("hidden");
  });

  it("refuses a variable that the engine reads itself and that has several lines", () => {
    expect(jobContainer(place, { ...run, variables: { PATH: "a\nb" } })).toEqual({
      ok: false,
      reason: expect.stringContaining("PATH must not have more than one line"),
    });
  });

  it.each(["run", "RUNTIME_DIRECTORY", "PWD"])(
    "passes the variable %s, which the script sets itself",
    (name) => {
      const script = scriptOf(jobContainer(place, { ...run, variables: { [name]: "own" } }));
      expect(script).toContain(`printf '%s\\n' "${name}=$GANTRY_VARIABLE_0" >> "$run/env"`);
      expect(script).not.toContain(`--env=${name}`);
    },
  );

  it("passes variables of Go's build as other ones, also to a build", () => {
    const made = buildCommand(place, {
      ...{ version: 1, dockerfile: "/r/Dockerfile", context: "/r", target: null, isFresh: false },
      ...{ auth: null, signatures: null },
      ...{ args: { GOPROXY: "https://proxy.example.com", GOOS: "linux" }, secrets: {} },
    });
    expect(made).toMatchObject({ ok: true, value: { env: { GOPROXY: "https://proxy.example.com" } } });
    expect(scriptOf(made)).toContain("--build-arg=GOPROXY --build-arg=GOOS");
  });

  it("leaves the command of the image in place, and replaces it for other lines", () => {
    expect(scriptOf(jobContainer(place, run))).toMatch(/ a{64} <\/dev\/null$/);
    expect(scriptOf(jobContainer(place, { ...run, line: "rake 'db migrate'" }))).toContain(
      `${image.id} 'rake' 'db migrate'`,
    );
  });

  it("mounts shared paths with any letters in them", () => {
    const script = scriptOf(jobContainer(place, { ...run, sharedPaths: ["sto,rage", `it's "it"`] }));
    expect(script).toContain(`"target=/app/sto,rage"`);
    expect(script).toContain(String.raw`"target=/app/it'\''s ""it"""`);
  });

  it("publishes the port of an instance on this server only, or uses the server's network", () => {
    const at = { port: 40_001, inside: 3000 };
    expect(scriptOf(instanceContainer(place, { ...run, at, network: "private" }))).toContain(
      "--network=pasta --publish=127.0.0.1:40001:3000",
    );
    expect(scriptOf(instanceContainer(place, { ...run, at: null, network: "host" }))).toContain(
      "--network=host",
    );
  });
});
