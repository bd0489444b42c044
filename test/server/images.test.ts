import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import type { Project } from "#contract/endpoints/projects/schemas.ts";

import { eventually } from "../support/faults/eventually.ts";
import { AppServer } from "./support/app-server.ts";
import { loadAppText } from "./support/apps/load-app.ts";
import { ImageRegistry, REGISTRY_LOGIN } from "./support/image-registry.ts";
import { describeFailingRegistry } from "./support/images/describe-failing-registry.ts";
import { describeImageHook } from "./support/images/describe-image-hook.ts";

const TEST_MS = 600_000;
const check = { path: "/", tries: 3, interval_seconds: 0.1, timeout_seconds: 10 };

const PLACES = "/var/lib/gantry/projects /dev/shm /run /etc/systemd";
const { user, password } = REGISTRY_LOGIN;
const LOGIN_FORMS = [password, Buffer.from(`${user}:${password}`).toString("base64")];

let server: AppServer;
let registry: ImageRegistry;
let project: Project;
/** The digests of the images r0 and r1, without `sha256:`. */
let digests: readonly string[] = [];
/** The digest of the image that the tag names. */
let tip = "";

beforeAll(async () => {
  server = await AppServer.start({ containers: true, ingress: true });
  await ImageRegistry.start(server.machine);
  registry = await ImageRegistry.startPrivate(server.machine);
  project = await createProject("images");
}, TEST_MS);
afterAll(() => server.close());

const push = (name: string, release: string) =>
  registry.build(name, {
    Dockerfile: `FROM node:24\nWORKDIR /app\nCOPY app.cjs ./\nEXPOSE 3000\nCMD ["node", "app.cjs", "${release}"]\n`,
    "app.cjs": loadAppText(),
  });

const createProject = (name: string, settings: Readonly<Record<string, unknown>> = {}): Promise<Project> =>
  server.api.createProject({
    name,
    server_id: server.id,
    repository: `docker://${user}:${password}@${registry.host}/acme/shop`,
    branch: "v1",
    domain: `${name}.localhost`,
    health_check: check,
    keep_releases: 2,
    drain_seconds: 0,
    ...settings,
  });

const textOf = async ({ id }: Deployment): Promise<string> =>
  (await server.api.log(id)).map(({ message }) => message).join("\n");

async function expectLive(deployment: Deployment): Promise<string> {
  const log = await textOf(deployment);
  expect([deployment.status, log]).toEqual(["live", log]);
  return log;
}

async function deploy(body: Record<string, unknown> = {}): Promise<Deployment> {
  const { id } = await server.api.start(project.id, body);
  return await server.api.ended(id, 240_000);
}

const answers = async (text: string) => expect(await server.ask("images.localhost")).toContain(text);

async function setSecret({ id }: Project, name: string, value: string): Promise<void> {
  const set = [{ name, value, secret: true }];
  const { status, text } = await server.api.call("PATCH", `/v1/projects/${id}/variables`, { set });
  expect([status, text]).toEqual([200, text]);
}

/** Expects a text in no file of the agent and of the engine, and in no command line. */
async function expectNowhere(secret: string): Promise<void> {
  const { machine } = server;
  expect(await machine.run(`grep -rlF ${secret} ${PLACES}`)).toMatchObject({ output: "" });
  // The pattern does not match its own command.
  const pattern = `[${secret.slice(0, 1)}]${secret.slice(1)}`;
  expect(await machine.run(`cat /proc/[0-9]*/cmdline | grep -qa '${pattern}'`)).toMatchObject({ code: 1 });
}

describe("A project whose repository has images", () => {
  it("deploys what its tag names", { timeout: TEST_MS }, async () => {
    digests = [await push("acme/shop:v1", "r0")];
    const deployed = await deploy();
    const log = await expectLive(deployed);
    expect(log).toContain(`sha256:${digests[0]}`);
    expect(log).toContain("web runs the command of the image: node app.cjs r0");
    expect(deployed).toMatchObject({ commit_sha: digests[0], branch: "v1" });
    await answers("r0");
  });

  it("has its password on no disk and in no process list", async () => {
    for (const secret of LOGIN_FORMS) await expectNowhere(secret);
  });

  it("deploys the new image after its tag has moved", { timeout: TEST_MS }, async () => {
    digests = [...digests, await push("acme/shop:v1", "r1")];
    const deployed = await deploy();
    await expectLive(deployed);
    expect(deployed.commit_sha).toBe(digests[1]);
    await answers("r1");
  });

  it("rolls back to the image that was live, although the tag has moved", { timeout: TEST_MS }, async () => {
    await server.becomesLive((await server.api.rollBack(project.id, { version: 1 })).id);
    await answers("r0");
  });

  it("pulls the image again if it is no longer on the server", { timeout: TEST_MS }, async () => {
    for (const release of ["r2", "r3", "r4"]) {
      tip = await push("acme/shop:v1", release);
      await expectLive(await deploy());
    }
    const images = `/var/lib/gantry/projects/${project.id}/containers/overlay-images/images.json`;
    await eventually("the first image is removed", async () => {
      const names = await server.machine.tell(`cat ${images}`);
      return !names.includes('localhost/gantry:1"') && !names.includes(digests[0] ?? "");
    });
    await server.becomesLive((await server.api.rollBack(project.id, { version: 1 })).id);
    await answers("r0");
  });

  it("deploys an image by its digest", { timeout: TEST_MS }, async () => {
    const deployed = await deploy({ commit: `sha256:${digests[1]}` });
    await expectLive(deployed);
    expect(deployed.commit_sha).toBe(digests[1]);
    await answers("r1");
  });

  it("has its repository tested, and its digest resolved for an approval", { timeout: TEST_MS }, async () => {
    const path = `/v1/projects/${project.id}`;
    const tested = await server.api.call("POST", `${path}/repository-test`, {});
    expect(tested.json).toMatchObject({ ok: true, branch: "v1", commit_sha: tip });
    const other = await server.api.call("POST", `${path}/repository-test`, { branch: "v9" });
    expect(other.json).toMatchObject({ ok: false, code: "branch_not_found" });
    await server.api.call("PATCH", path, { approval: "required" });
    const { id } = await server.api.start(project.id);
    await eventually(
      "the digest is known",
      async () => (await server.api.getDeployment(id)).commit_sha === tip,
    );
    expect((await server.api.call("POST", `/v1/deployments/${id}/approve`, { commit: tip })).status).toBe(
      200,
    );
    await server.becomesLive(id);
    await server.api.call("PATCH", path, { approval: "none" });
    await answers("r4");
  });

  it("is deployed by itself when its tag has moved", { timeout: TEST_MS }, async () => {
    // The agent looks every five minutes. Here a second of the watch takes 20 ms.
    await server.machine.tell(
      "grep -cE 'watchSecondMs: ?(1e3|1000)' /usr/local/lib/gantry/gantry-agent.mjs && sed -i -E 's/watchSecondMs: ?(1e3|1000)/watchSecondMs:20/' /usr/local/lib/gantry/gantry-agent.mjs && systemctl restart gantry-agent",
    );
    await server.api.call("PATCH", `/v1/projects/${project.id}`, { deploy_on: { poll: true } });
    const moved = await push("acme/shop:v1", "r5");
    await eventually("the new image is live", async () => {
      const [newest] = await server.api.listDeployments(project.id);
      return newest?.commit_sha === moved && newest.status === "live";
    });
    await answers("r5");
    await server.api.call("PATCH", `/v1/projects/${project.id}`, { deploy_on: { poll: false } });
  });

  it("fails for a tag that does not exist", { timeout: TEST_MS }, async () => {
    const failed = await deploy({ branch: "v9" });
    expect(failed).toMatchObject({
      status: "failed",
      failure: {
        code: "ref_not_found",
        message: `the registry has no image ${registry.host}/acme/shop:v9`,
        hint: expect.stringContaining("Check the name of the repository and the tag"),
      },
    });
  });

  it(
    "fails for an image of another processor, and for one without a command",
    { timeout: TEST_MS },
    async () => {
      const other = process.arch === "arm64" ? "amd64" : "arm64";
      await registry.build(
        "acme/shop:other",
        { Dockerfile: "FROM scratch\nCOPY a /\n", a: "" },
        `--arch=${other}`,
      );
      expect(await deploy({ branch: "other" })).toMatchObject({
        status: "failed",
        failure: { message: expect.stringContaining(`the image is for the processor ${other}`) },
      });
      await registry.build("acme/shop:empty", { Dockerfile: "FROM scratch\nCOPY a /\n", a: "" });
      expect(await deploy({ branch: "empty" })).toMatchObject({
        status: "failed",
        failure: { message: "the image has no command", hint: "Set the command of the process web." },
      });
    },
  );

  it("keeps running while the registry is down", { timeout: TEST_MS }, async () => {
    await registry.stop();
    const failed = await deploy();
    expect(failed).toMatchObject({
      status: "failed",
      failure: { code: "fetch_failed", message: expect.stringContaining("cannot be reached") },
    });
    await answers("r5");
    await server.becomesLive((await server.api.rollBack(project.id)).id);
    await answers("r4");
    await registry.run();
  });

  it("fails with a wrong password", { timeout: TEST_MS }, async () => {
    await setSecret(project, "GANTRY_REPOSITORY_TOKEN", "another-password");
    const failed = await deploy();
    const log = await textOf(failed);
    expect(failed).toMatchObject({
      status: "failed",
      failure: {
        code: "fetch_failed",
        message: `${registry.host} refuses access to ${registry.host}/acme/shop:v1`,
        hint: expect.stringContaining(`as the user \`${REGISTRY_LOGIN.user}\``),
      },
    });
    expect(log + JSON.stringify(failed)).not.toContain("another-password");
  });
});

const world = () => ({ server, registry, project, push });
describeImageHook(world);
describeFailingRegistry(world);

/** A project with a Dockerfile. */
let based: Project;
/** Its version from before the rule about signatures. */
let unchecked = 0;
const dockerfile = (image: string, lines = "") =>
  `FROM ${registry.host}/${image}\n${lines}COPY app.cjs /\nCMD ["node", "/app.cjs", "based"]\n`;
async function deployBased(): Promise<Deployment> {
  const { id } = await server.api.start(based.id);
  return await server.api.ended(id, 240_000);
}

/** What a hostile instruction finds of the build: its environment, all processes, its standard input, and files with logins. */
const SEARCH =
  "( env; cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline; timeout 1 cat; cat $(find / -name proc -prune -o -name sys -prune -o -name 'auth*.json' -print -o -path '*/run/user/*' -type f -print) ) > /seen 2>/dev/null; ls /run/user >> /seen 2>&1; grep -c PATH /seen";

describe("A Dockerfile with a private base image", () => {
  it("fails without a login, and with a wrong one", { timeout: TEST_MS }, async () => {
    await push("acme/base:1", "base");
    const files = { Dockerfile: dockerfile("acme/base:1", `RUN ${SEARCH}\n`), "app.cjs": loadAppText() };
    const settings = { framework: "dockerfile", domain: "based.localhost", health_check: check };
    based = await server.createProject("based", files, settings);
    const message = `${registry.host} refuses access to the base image ${registry.host}/acme/base:1`;
    expect((await deployBased()).failure).toMatchObject({
      ...{ code: "fetch_failed", message },
      hint: expect.stringContaining(
        `add a line USER:TOKEN@${registry.host} to the secret GANTRY_REGISTRY_TOKEN`,
      ),
    });
    await setSecret(based, "GANTRY_REGISTRY_TOKEN", `${user}:another-password@${registry.host}`);
    const failed = await deployBased();
    expect(failed.failure).toMatchObject({
      ...{ code: "fetch_failed", message },
      hint: expect.stringContaining(`as the user \`${user}\` with the secret GANTRY_REGISTRY_TOKEN`),
    });
    expect((await textOf(failed)) + JSON.stringify(failed)).not.toContain("another-password");
  });

  it("is built with the right login, which no instruction sees", { timeout: TEST_MS }, async () => {
    await setSecret(based, "GANTRY_REGISTRY_TOKEN", `${user}:${password}@${registry.host}/acme\n`);
    const deployed = await deployBased();
    await expectLive(deployed);
    unchecked = deployed.version;
    const layers = `/var/lib/gantry/projects/${based.id}/containers/overlay`;
    expect(await server.machine.tell(`cat ${layers}/*/diff/seen | grep -c PATH`)).not.toBe("0");
    for (const secret of LOGIN_FORMS) await expectNowhere(secret);
  });
});

describe("A server whose policy requires signatures", () => {
  const KEY = "/etc/gantry/keys/acme";
  const OTHER = "/srv/keys/other";

  beforeAll(async () => {
    const { machine } = server;
    const key = await registry.makeKey(KEY);
    await registry.makeKey(OTHER);
    await registry.sign("acme/base:1", "trusted/base:1", `${KEY}.private`);
    // Another image: a signature is for all tags of an image.
    await push("acme/base:2", "base-2");
    await registry.sign("acme/base:2", "trusted/base:2", `${OTHER}.private`);
    await setSecret(based, "GANTRY_REGISTRY_TOKEN", `${user}:${password}@${registry.host}`);
    const image_signatures = { images: { [`${registry.host}/trusted`]: key }, others: "refuse" };
    const policy = JSON.parse(await machine.tell("cat /etc/gantry/policy.json"));
    await machine.write("/etc/gantry/policy.json", JSON.stringify({ ...policy, image_signatures }));
    await machine.tell("systemctl restart gantry-agent");
    // Without the options of the agent, the engine would read this file of the project.
    await machine.write(
      `/var/lib/gantry/projects/${based.id}/home/.config/containers/policy.json`,
      JSON.stringify({ default: [{ type: "insecureAcceptAnything" }] }),
    );
  }, TEST_MS);

  it("deploys a signed image, and none without a signature", { timeout: TEST_MS }, async () => {
    await push("acme/shop:v1", "r5");
    const signed = await registry.sign("acme/shop:v1", "trusted/shop:v1", `${KEY}.private`);
    const repository = `docker://${user}:${password}@${registry.host}/trusted/shop`;
    const { id } = await createProject("signed", { repository });
    const live = await server.api.ended((await server.api.start(id)).id, 240_000);
    await expectLive(live);
    expect(live.commit_sha).toBe(signed);
    const unsigned = await push("trusted/shop:v1", "r9");
    const failed = await server.api.ended((await server.api.start(id)).id, 240_000);
    expect(failed.failure).toMatchObject({
      code: "image_unsigned",
      message: `${registry.host}/trusted/shop@sha256:${unsigned} does not have the signature that this server requires`,
      hint: expect.stringContaining("no signature exists"),
    });
    expect(await server.ask("signed.localhost")).toContain("r5");
  });

  it(
    "builds on signed base images only, and copies from signed images only",
    { timeout: TEST_MS },
    async () => {
      const copies = `COPY --from=${registry.host}/trusted/shop:v1 /app /copied\n`;
      for (const [image, lines, name, reason] of [
        ["trusted/base:2", "", "trusted/base:2", "signature verification failed"],
        ["trusted/base:1", copies, "trusted/shop:v1", "no signature exists"],
      ] as const) {
        await server.commit("based", { Dockerfile: dockerfile(image, lines) });
        expect((await deployBased()).failure).toMatchObject({
          code: "image_unsigned",
          message: `the base image ${registry.host}/${name} does not have the signature that this server requires`,
          hint: expect.stringContaining(reason),
        });
      }
      await server.commit("based", { Dockerfile: dockerfile("trusted/base:1") });
      await expectLive(await deployBased());
      // Another tree whose layers are all there: buildah copies the image in its storage.
      await server.commit("based", { "not-copied.txt": "" });
      expect(await expectLive(await deployBased())).toContain("Using cache");
    },
  );

  it("does not go back to a release whose image it has not checked", { timeout: TEST_MS }, async () => {
    const { id } = await server.api.rollBack(based.id, { version: unchecked });
    expect(await server.api.ended(id, 240_000)).toMatchObject({
      failure: { code: "refused_by_policy", message: expect.stringContaining("(image_signatures)") },
    });
    expect(await server.ask("based.localhost")).toContain("based");
  });
});
