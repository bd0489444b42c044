import { describe, expect, it } from "vitest";

import { initialSettings, textSettings } from "#contract/endpoints/projects/project-settings.ts";
import { NO_DEFINITIONS } from "#contract/endpoints/projects/repository-definitions.ts";
import { UpdateProjectInput } from "#contract/endpoints/projects/project-inputs.ts";
import type { Project } from "#contract/endpoints/projects/schemas.ts";
import { AutomaticSetting } from "#contract/endpoints/projects/settings.ts";
import { createIdGenerator, ServerId } from "#contract/ids.ts";
import { pick } from "#contract/lib/pick.ts";
import { changesOf, editsAfter, editsSince } from "#dashboard/pages/settings/changes.ts";
import { draftOf } from "#dashboard/pages/settings/draft.ts";
import { readForm } from "#dashboard/text/field-errors.ts";
import { everySetting } from "../../support/every-setting.ts";

const ids = createIdGenerator({
  now: () => 1_700_000_000_000,
  randomBytes: (count) => new Uint8Array(count),
});

const OTHER_SERVER = ServerId.parse(`srv_${"0".repeat(26)}`);

const project: Project = {
  ...initialSettings,
  id: ids.project(),
  name: "shop",
  framework: "vite",
  domain: "shop.localhost",
  server_id: ids.server(),
  last_deploy: null,
  repository: "https://git.example.com/shop.git",
  install_command: "npm ci",
  build_command: "npm run build",
  output_directory: "dist",
  trailing_slash: "auto",
  fallback: "index.html",
  shared_paths: ["uploads"],
  health_check: { path: "/up", status: 204, tries: 3, interval_seconds: 1, timeout_seconds: 5 },
  detected_processes: {},
  repository_definitions: NO_DEFINITIONS,
  processes_state: null,
  maintenance: null,
  ingress_problem: null,
  health: { state: "ok", reasons: [] },
  variables_applied: null,
  limits: { tasks: 100 },
  automatic: AutomaticSetting.options,
  suggested_release_command: null,
  app_type: "static",
  framework_reasons: [],
  url: null,
  serving: null,
  deploy_key: null,
  servers_state: [],
  balance_state: [],
  created_at: "2026-11-20T09:14:02.310Z",
};

const changed = (part: Partial<ReturnType<typeof draftOf>>, of = project) =>
  changesOf({ ...draftOf(of), ...part }, of);

describe("unsaved edits of the settings", () => {
  it("are null if they equal the saved settings", () => {
    expect(editsAfter({ name: "store" }, project)).toEqual({ name: "store" });
    expect(editsAfter({ name: "store" }, { ...project, name: "store" })).toBeNull();
    expect(editsAfter({}, project)).toBeNull();
  });

  it("are kept if they were made after the form was sent", () => {
    const sent = { name: "store", branch: "next" };
    expect(editsSince(sent, sent)).toEqual({});
    expect(editsSince(sent, { ...sent, branch: "other", queue: "latest" })).toEqual({
      branch: "other",
      queue: "latest",
    });
  });
});

describe("the settings form", () => {
  it("omits unchanged settings", () => {
    expect(changed({})).toEqual({});
  });

  it("sends each setting that is written as text", () => {
    const builder = { build_on: OTHER_SERVER };
    const other: Project = {
      ...project,
      ...everySetting,
      ...builder,
      server_id: OTHER_SERVER,
      automatic: [],
    };
    expect(changesOf(draftOf(other), project)).toMatchObject(pick(other, textSettings));
  });

  it("sends no Dockerfile if its fields are emptied", () => {
    const image = { ...project, dockerfile: { path: "web.Dockerfile", context: ".", target: "web" } };
    const emptied = { dockerfile_path: "", dockerfile_context: " ", dockerfile_target: "" };
    expect(changed(emptied, image)).toEqual({ dockerfile: null });
    expect(changed({ dockerfile_target: "" }, image)).toEqual({
      dockerfile: { path: "web.Dockerfile", context: "." },
    });
  });

  it.each([
    [{ name: "store" }, { name: "store" }],
    [{ keep_releases: "7" }, { keep_releases: 7 }],
    [{ build_on: OTHER_SERVER }, { build_on: OTHER_SERVER }],
    [{ artifact_uploads: true }, { artifact_uploads: true }],
    [{ asset_overlap: "0" }, { asset_overlap: 0 }],
    [{ trailing_slash: "never" }, { trailing_slash: "never" }],
    [{ fallback: "app.html" }, { fallback: "app.html" }],
    [{ hasNoFallback: true }, { fallback: null }],
    [{ build_seconds: "900" }, { timeouts: { build_seconds: 900 } }],
    [{ dockerfile_target: " web " }, { dockerfile: { target: "web" } }],
    [
      { dockerfile_path: "docker/Dockerfile", dockerfile_context: "apps" },
      { dockerfile: { path: "docker/Dockerfile", context: "apps" } },
    ],
    [{ limit_memory_mb: " 512 " }, { limits: { memory_mb: 512 } }],
    [{ limit_tasks: "" }, { limits: { tasks: null } }],
    [{ shared_paths: "uploads\n\n data \n" }, { shared_paths: ["uploads", "data"] }],
    [{ release_command: "make migrate" }, { release_command: "make migrate" }],
    [{ drain_seconds: "60" }, { drain_seconds: 60 }],
    [
      { redirects: "www.shop.test\n\n old.shop.test ", served_aliases: "shop.test" },
      {
        aliases: [
          { domain: "www.shop.test", redirect: true },
          { domain: "old.shop.test", redirect: true },
          { domain: "shop.test", redirect: false },
        ],
      },
    ],
    [{ push_branches: "main\n release/* \n" }, { deploy_on: { branches: ["main", "release/*"] } }],
    [
      { push_tags: "v*", push_paths: "apps/shop/**", push_skip_markers: "", pollsPushes: true },
      { deploy_on: { tags: ["v*"], paths: ["apps/shop/**"], skip_markers: [], poll: true } },
    ],
    [{ approval: "by_another" }, { approval: "by_another" }],
    [{ deploysPushes: false }, { deploy_on: { enabled: false } }],
    [
      { processes: { worker: { command: "node worker.js" } } },
      { processes: { worker: { command: "node worker.js" } } },
    ],
    [{ activate_command: "systemctl restart shop" }, { activate_command: "systemctl restart shop" }],
    [{ build_command: "make" }, { build_command: "make" }],
    [{ buildsNothing: true }, { build_command: null }],
    [{ install_command: "make deps" }, { install_command: "make deps" }],
    [{ installsNothing: true }, { install_command: null }],
    [{ health_check: "" }, { health_check: null }],
    [{ health_check: "/health" }, { health_check: { ...project.health_check, path: "/health" } }],
    [
      { health_check: "http://127.0.0.1:3000/up" },
      {
        health_check: {
          url: "http://127.0.0.1:3000/up",
          status: 204,
          tries: 3,
          interval_seconds: 1,
          timeout_seconds: 5,
        },
      },
    ],
    [{ health_tries: "20" }, { health_check: { ...project.health_check, tries: 20 } }],
    [
      { health_interval_seconds: "0.5", health_timeout_seconds: "2", health_status: "200" },
      {
        health_check: {
          ...project.health_check,
          status: 200,
          interval_seconds: 0.5,
          timeout_seconds: 2,
        },
      },
    ],
  ])("turns %j into the change %j", (part, change) => {
    expect(changed(part)).toEqual(change);
    expect(UpdateProjectInput.safeParse(changed(part)).success).toBe(true);
  });

  it("resets an emptied setting to automatic", () => {
    const own: Project = {
      ...project,
      automatic: ["framework"],
      install_command: "make deps",
      build_command: "make",
    };
    expect(changed({ install_command: "" }, own)).toEqual({ automatic: ["install_command"] });
    expect(changed({ build_command: "" }, own)).toEqual({ automatic: ["build_command"] });
    expect(changed({ output_directory: "" }, own)).toEqual({ automatic: ["output_directory"] });
    expect(changed({ framework: "astro", output_directory: "" }, own)).toEqual({
      framework: "astro",
      automatic: ["output_directory"],
    });
  });

  it("resets an emptied list of pushed branches or files to the default", () => {
    const own: Project = {
      ...project,
      deploy_on: { ...project.deploy_on, branches: ["next"], paths: ["apps/**"] },
    };
    expect(changed({ push_branches: "", push_paths: " \n" }, own)).toEqual({
      deploy_on: { branches: null, paths: null },
    });
  });

  it("creates a health check with the defaults, and ignores its numbers without a path", () => {
    const none: Project = { ...project, health_check: null };
    expect(changed({ health_tries: "20" }, none)).toEqual({});
    expect(changed({ health_check: "/up" }, none)).toEqual({
      health_check: { path: "/up", status: 200, tries: 10, interval_seconds: 1, timeout_seconds: 5 },
    });
  });

  it.each([
    [{ keep_releases: "many" }, "keep_releases", "Must be a number."],
    [{ keep_releases: "2.5" }, "keep_releases", "Must be a whole number."],
    [{ health_status: "99" }, "health_check.status", "Must be 100 or more."],
    [{ health_interval_seconds: "61" }, "health_check.interval_seconds", "Must be 60 or less."],
    [{ name: "" }, "name", "Enter a name."],
    [
      { health_check: "/a b" },
      "health_check.path",
      "Must begin with / and contain no spaces: percent-encode it, write /a%20b.",
    ],
  ])("explains the error in %j", (part, path, text) => {
    const changes = changed(part);
    const { errors } = readForm(UpdateProjectInput, changes);
    expect(errors).toMatchObject({ [path]: text });
  });

  it.each([{ keep_releases: "many" }, { keep_releases: "1" }, { name: "" }, { shared_paths: "../x" }])(
    "rejects %j before it is sent",
    (part) => {
      expect(UpdateProjectInput.safeParse(changed(part)).success).toBe(false);
    },
  );
});
