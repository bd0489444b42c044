import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";

import * as z from "zod/mini";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { ServerCreated } from "#contract/endpoints/servers/schemas.ts";
import { VariableRevisions, Variables } from "#contract/endpoints/variables/schemas.ts";
import { type Gantry, useGantry } from "../../openapi/support/gantry.ts";
import { createLinkProxy, type LinkProxy } from "../../support/faults/link-proxy.ts";
import type { Fate } from "../../support/faults/passages.ts";
import { openSecrets } from "../../support/seal-keys.ts";
import { type CallOptions, createCli, jsonOf } from "../../cli/support/command.ts";
import { createServerWithKey, type ServerWithKey } from "../../cli/support/server-with-key.ts";
import { listenLocally } from "../../support/listen.ts";

const cli = createCli();
let gantry: Gantry;
/** Between the command and the Worker. */
let proxy: LinkProxy;
/** Everything that the command has sent, in JSON. */
const sent: string[] = [];
const servers: ServerWithKey[] = [];

beforeAll(async () => {
  gantry = await useGantry();
  proxy = await createLinkProxy(gantry.url);
  proxy.watch((passage) => {
    if (passage.kind === "request") sent.push(JSON.stringify(passage));
  });
});
afterAll(async () => {
  for (const server of servers) server.stop();
  await proxy.close();
});

const newServer = async () => {
  const server = await createServerWithKey(gantry, `shop-${servers.length + 1}`);
  servers.push(server);
  return server;
};
const optionsOf = ({ projectId }: ServerWithKey, more: CallOptions = {}): CallOptions => ({
  ...more,
  env: { GANTRY_URL: proxy.url, GANTRY_TOKEN: gantry.token, GANTRY_PROJECT: projectId, ...more.env },
});
const variables = (server: ServerWithKey, args: readonly string[], more?: CallOptions) =>
  cli.run(["variables", ...args], optionsOf(server, more));
/** The secrets as the agent opens them in the order of a new deployment. */
const openedSecrets = async ({ api, projectId, agent, keys }: ServerWithKey) => {
  const { id } = await api.start(projectId);
  const opened = await openSecrets(await agent.orderOf(id), keys);
  await api.call("POST", `/v1/deployments/${id}/cancel`);
  return opened;
};
const valuesOf = (all: Variables) =>
  Object.fromEntries(all.variables.map((one) => [one.name, one.secret ? null : one.value]));
/** Writes a file into the command's home. @returns its path */
const fileWith = (name: string, text: string | Buffer) => {
  writeFileSync(join(cli.home, name), text);
  return join(cli.home, name);
};

describe("gantry variables set", () => {
  it("sets plain variables as one revision, and says so if nothing changes", async () => {
    const server = await newServer();
    const set = await variables(server, ["set", "URL=https://shop.test/?a=b", "EMPTY="]);
    expect(set).toMatchObject({ code: 0, stderr: "" });
    expect(set.stdout).toBe("Set URL, EMPTY in revision 1. The next deployment uses it.\n");
    expect(valuesOf(await server.variables())).toEqual({ EMPTY: "", URL: "https://shop.test/?a=b" });
    const again = await variables(server, ["set", "EMPTY="]);
    expect(again.stdout).toBe("Nothing has changed: revision 1 has these values.\n");
    const port = await variables(server, ["set", "PORT=3000"]);
    expect(port.stderr).toContain("PORT has no effect on instances with a port: Gantry gives each one");
  });

  it("seals a secret from standard input and from a file, and sends no value in clear", async () => {
    const server = await newServer();
    const file = fileWith("key.pem", "-----BEGIN-----\ncorrect-horse\n-----END-----\n");
    const args = [
      "set",
      "--secret=PASSWORD",
      "--from-stdin=PASSWORD",
      "--secret=KEY",
      `--from-file=KEY=${file}`,
    ];
    const { code, stdout, stderr } = await variables(server, args, { input: "battery-staple\n" });
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining("in revision 1") });
    expect(sent.join("\n")).toContain('"sealed"');
    expect(sent.join("\n") + stdout + stderr).not.toMatch(/battery-staple|correct-horse/);
    expect(await openedSecrets(server)).toEqual({
      PASSWORD: "battery-staple",
      KEY: "-----BEGIN-----\ncorrect-horse\n-----END-----",
    });
  });

  it("prompts for secrets without echo", async () => {
    const server = await newServer();
    const call = cli.inTerminal(
      ["variables", "set", "--secret", "FIRST", "--secret", "SECOND"],
      optionsOf(server),
    );
    await call.printed("stdout", "Value of FIRST: ");
    call.type("correct-horse\r");
    await call.printed("stdout", "Value of SECOND: ");
    call.type("x\u007fbattery-staple\r");
    const { code, stdout } = await call.ended;
    expect(code).toBe(0);
    expect(stdout).not.toMatch(/battery|horse/);
    expect(stdout).toContain("Set FIRST, SECOND in revision 1.");
    expect(await openedSecrets(server)).toEqual({ FIRST: "correct-horse", SECOND: "battery-staple" });
  });

  it("refuses several pasted lines and control characters at the prompt", async () => {
    const server = await newServer();
    const refusal = async (typed: string) => {
      const call = cli.inTerminal(["variables", "set", "--secret", "KEY"], optionsOf(server));
      await call.printed("stdout", "Value of KEY: ");
      call.type(typed);
      return await call.ended;
    };
    expect(await refusal("-----BEGIN-----\rbattery-staple\r")).toMatchObject({
      code: 2,
      stdout: expect.stringContaining("several lines"),
    });
    expect(await refusal("battery\u001b[D\r")).toMatchObject({
      code: 2,
      stdout: expect.stringContaining("control character"),
    });
    expect((await server.variables()).revision).toBe(0);
  });

  it("takes no value of a secret from an argument", async () => {
    const server = await newServer();
    await server.update({ set: [{ name: "OLD", value: "first", secret: true }] });
    for (const args of [
      ["A=hunter2", "--secret", "A"],
      ["--secret", "A=hunter2"],
      ["OLD=hunter2"],
      ["GANTRY_REPOSITORY_TOKEN=hunter2"],
      ["hunter2", "--secret", "A"],
    ]) {
      const refused = await variables(server, ["set", ...args]);
      expect(refused, args.join(" ")).toMatchObject({
        code: 2,
        stdout: "",
        stderr: expect.stringContaining("--secret"),
      });
      expect(refused.stderr).not.toContain("hunter2");
    }
    expect((await server.variables()).revision).toBe(1);
    expect(sent.join("\n")).not.toContain("hunter2");
  });

  it("does not prompt without a terminal, and refuses empty or invalid values", async () => {
    const server = await newServer();
    const refusal = async (args: readonly string[], input = "") => {
      const { code, stderr } = await variables(server, ["set", ...args], { input });
      expect(code, args.join(" ")).toBe(2);
      return stderr;
    };
    expect(await refusal(["--secret", "A"])).toContain("--from-stdin A");
    expect(await refusal(["--secret", "A", "--from-stdin", "A"], "\n")).toContain("is empty");
    expect(await refusal(["--from-stdin", "A"], "x".repeat(32 * 1024 + 1))).toContain("at most 32768 bytes");
    const binary = fileWith("binary", Buffer.from([0xff, 0xfe, 0x00]));
    expect(await refusal([`--from-file=A=${binary}`])).toContain("not UTF-8 text");
    expect(await refusal([`--from-file=A=${binary}-gone`])).toContain("cannot be read");
    expect(await refusal(["A=1", "A=2"])).toContain("A is set twice");
    expect(await refusal(["A-B=1"])).toContain("letters, digits and _");
    expect(await refusal(["GANTRY_URL=1"])).toContain("must not begin with GANTRY");
    expect(await refusal(["A=1", "--build"])).toContain("are for secrets");
    expect(await refusal([])).toContain("Pass NAME=value");
    expect((await server.variables()).revision).toBe(0);
  });

  it("gives a secret to builds with --build, until --no-build", async () => {
    const server = await newServer();
    const set = async (...more: string[]) => {
      const args = ["set", "--secret", "TOKEN", "--from-stdin", "TOKEN", "--json", ...more];
      const { stdout } = await variables(server, args, { input: "battery-staple" });
      return Variables.parse(jsonOf(stdout)).variables[0];
    };
    expect(await set("--build")).toMatchObject({ revision: 1, build: true });
    expect(await set()).toMatchObject({ revision: 2, build: true });
    expect(await set("--no-build")).toMatchObject({ revision: 3, build: false });
  });

  it("seals again for the next revision after another change, and gives up after some tries", async () => {
    const server = await newServer();
    let others = 0;
    const change = () => server.update({ set: [{ name: "OTHER", value: `${(others += 1)}` }] });
    let isFirst = true;
    const removeRule = proxy.rule(async (passage): Promise<Fate> => {
      if (passage.kind === "request" && passage.method === "PATCH" && isFirst) await change();
      if (passage.kind === "request" && passage.method === "PATCH") isFirst = false;
      return "pass";
    });
    const args = ["set", "--secret", "PASSWORD", "--from-stdin", "PASSWORD"];
    const set = await variables(server, args, { input: "battery-staple" });
    removeRule();
    expect(set).toMatchObject({ code: 0, stdout: expect.stringContaining("in revision 2") });
    expect(await openedSecrets(server)).toEqual({ PASSWORD: "battery-staple" });

    const removeSecond = proxy.rule(async (passage): Promise<Fate> => {
      if (passage.kind === "request" && passage.method === "PATCH") await change();
      return "pass";
    });
    const refused = await variables(server, args, { input: "battery-staple" });
    removeSecond();
    expect(refused).toMatchObject({ code: 4, stderr: expect.stringContaining("revision_conflict") });
    expect(others).toBe(11);
  });

  it("takes effect when the response of the first request is lost", async () => {
    const server = await newServer();
    let lost = 0;
    const removeRule = proxy.rule((passage) => {
      if (passage.kind !== "answer" || passage.method !== "PATCH" || lost > 0) return null;
      lost += 1;
      return "drop";
    });
    const args = ["set", "--secret", "PASSWORD", "--from-stdin", "PASSWORD"];
    const { code } = await variables(server, args, { input: "battery-staple" });
    removeRule();
    expect({ code, lost }).toEqual({ code: 0, lost: 1 });
    expect(await openedSecrets(server)).toEqual({ PASSWORD: "battery-staple" });
  });

  it("does not make a variable plain that became a secret in the meantime", async () => {
    const server = await newServer();
    let isFirst = true;
    const removeRule = proxy.rule(async (passage): Promise<Fate> => {
      if (passage.kind === "request" && passage.method === "PATCH" && isFirst) {
        isFirst = false;
        await server.update({ set: [{ name: "A", value: "first", secret: true }] });
      }
      return "pass";
    });
    const refused = await variables(server, ["set", "A=plain"]);
    removeRule();
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("A is a secret") });
    expect(await openedSecrets(server)).toEqual({ A: "first" });
  });
});

describe("the server's seal key", () => {
  const args = ["set", "--secret", "PASSWORD", "--from-stdin", "PASSWORD"];
  const withInput = { input: "battery-staple" };

  it("is stored at first use, and a change is refused until it is accepted", async () => {
    const server = await newServer();
    const first = server.keys.sealKey.fingerprint;
    const initial = await variables(server, args, withInput);
    expect(initial).toMatchObject({ code: 0, stderr: expect.stringContaining(`${first}. Compare`) });
    expect((await variables(server, args, withInput)).stderr).toBe("");
    const file = readFileSync(join(cli.home, "config", "gantry", "config.json"), "utf8");
    expect(jsonOf(file)).toMatchObject({ seal_keys: { [proxy.url]: { [server.serverId]: first } } });

    const changed = await server.changeKey();
    const second = changed.sealKey.fingerprint;
    const before = sent.length;
    const refused = await variables(server, args, withInput);
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toContain(`was ${first} and is now ${second}`);
    expect(refused.stderr).toContain(`--accept-key=${second}`);
    expect(sent.slice(before).join("")).not.toContain("PATCH");
    const wrong = await variables(server, [...args, `--accept-key=${first}`], withInput);
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining(`${second}, not ${first}`) });

    const listed = await variables(server, []);
    expect(listed.stdout).toMatch(/^PASSWORD\tsecret\tenter it again\t/m);
    expect(listed.stderr).toContain("gantry variables set --secret PASSWORD");
    const accepted = await variables(server, [...args, `--accept-key=${second}`], withInput);
    expect(accepted.code).toBe(0);
    expect((await variables(server, args, withInput)).code).toBe(0);
    expect(await openedSecrets({ ...server, keys: changed })).toEqual({ PASSWORD: "battery-staple" });
  });

  it("of another server is refused for a project, unless it was stored before: the control plane names the server", async () => {
    const server = await newServer();
    const other = await newServer();
    const { fingerprint } = other.keys.sealKey;
    expect((await variables(server, args, withInput)).code).toBe(0);
    const moved = await cli.run(["projects", "set", "--server", other.serverId], optionsOf(server));
    expect(moved.stderr).toMatch(
      /cannot open PASSWORD, so deployments are refused\. Enter them again: gantry /,
    );
    const refused = await variables(server, args, withInput);
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toContain(`--accept-key=${fingerprint}`);
    expect((await variables(other, args, withInput)).code).toBe(0);
    expect((await variables(server, args, withInput)).code).toBe(0);
  });

  it("is recognized by the key itself, not by the fingerprint in the response", async () => {
    const server = await newServer();
    expect((await variables(server, args, withInput)).code).toBe(0);
    const { fingerprint } = server.keys.sealKey;
    await server.changeKey();
    const lying = await createLyingProxy(proxy.url, (text) =>
      text.replace(/"fingerprint":"[^"]*"/g, `"fingerprint":"${fingerprint}"`),
    );
    const env = { GANTRY_URL: lying.url };
    // The pin of the other URL, as after a first use through it.
    const path = join(cli.home, "config-2", "gantry", "config.json");
    mkdirSync(join(cli.home, "config-2", "gantry"), { recursive: true });
    const seal_keys = { [lying.url]: { [server.serverId]: fingerprint } };
    writeFileSync(path, JSON.stringify({ current: null, installations: {}, seal_keys }));
    const more = { ...withInput, env: { ...env, XDG_CONFIG_HOME: join(cli.home, "config-2") } };
    const refused = await variables(server, args, more);
    await lying.close();
    expect(refused).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`was ${fingerprint} and is now`),
    });
  });

  it("is stored for each server of a project, and a server that is added is refused until it is accepted", async () => {
    const [server, second, third] = [await newServer(), await newServer(), await newServer()];
    // The project itself has one server: its further servers are in what the command reads.
    let members = [{ serverId: server.serverId, key: server.keys.sealKey }];
    const fleet = await createLyingProxy(proxy.url, (text) => {
      const read = Variables.safeParse(jsonOf(text));
      const listed = members.map(({ serverId, key }) => ({ server_id: serverId, seal_key: key }));
      return read.success ? JSON.stringify({ ...read.data, servers: listed }) : text;
    });
    const set = (...more: string[]) =>
      variables(server, [...args, ...more], { ...withInput, env: { GANTRY_URL: fleet.url } });
    expect((await set()).code).toBe(0);
    const [keyOfSecond, keyOfThird] = [second.keys.sealKey, third.keys.sealKey];
    members = [
      ...members,
      { serverId: second.serverId, key: keyOfSecond },
      { serverId: third.serverId, key: keyOfThird },
    ];
    const before = sent.length;
    const refused = await set();
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    for (const { serverId, keys } of [second, third])
      expect(refused.stderr).toContain(
        `Server ${serverId} is new in project ${server.projectId}, with the seal key ${keys.sealKey.fingerprint}.`,
      );
    const accepted = [keyOfSecond, keyOfThird].map(({ fingerprint }) => `--accept-key=${fingerprint}`);
    expect(refused.stderr).toContain(`pass ${accepted.join(" ")}`);
    const one = await set(...accepted.slice(0, 1));
    expect(one).toMatchObject({ code: 2, stderr: expect.not.stringContaining(`Server ${second.serverId}`) });
    expect(sent.slice(before).join("")).not.toContain("PATCH");

    expect((await set(...accepted)).code).toBe(0);
    const fingerprints = members.map(({ key }) => key.fingerprint);
    expect((await server.variables()).variables).toMatchObject([{ sealed_for: fingerprints }]);
    expect(await openedSecrets(server)).toEqual({ PASSWORD: "battery-staple" });
    expect(await set()).toMatchObject({ code: 0, stderr: "" });

    const changed = await second.changeKey();
    members = members.map((member) =>
      member.serverId === second.serverId ? { ...member, key: changed.sealKey } : member,
    );
    const { fingerprint } = changed.sealKey;
    expect((await set()).stderr).toContain(
      `server ${second.serverId} was ${keyOfSecond.fingerprint} and is now ${fingerprint}.`,
    );
    const wrong = await set(`--accept-key=${keyOfSecond.fingerprint}`);
    expect(wrong.stderr).toContain(`not ${keyOfSecond.fingerprint}.`);
    expect((await set(`--accept-key=${fingerprint}`)).code).toBe(0);
    await fleet.close();
  });

  it("must be named with --accept-key where it cannot be stored", async () => {
    const server = await newServer();
    const { fingerprint } = server.keys.sealKey;
    const homeless = { ...withInput, env: { HOME: "", XDG_CONFIG_HOME: "" } };
    const refused = await variables(server, args, homeless);
    expect(refused).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`--accept-key=${fingerprint}`),
    });
    expect((await variables(server, [...args, `--accept-key=${fingerprint}`], homeless)).code).toBe(0);
    expect((await variables(server, [...args, "--accept-key=short"], homeless)).stderr).toContain(
      "22 letters",
    );
  });

  it("survives gantry login and gantry logout", async () => {
    const server = await newServer();
    const env = { GANTRY_URL: gantry.url, XDG_CONFIG_HOME: join(cli.home, "config-3") };
    expect((await variables(server, args, { ...withInput, env })).code).toBe(0);
    const file = () => readFileSync(join(cli.home, "config-3", "gantry", "config.json"), "utf8");
    await cli.run(["login", gantry.url], { env, input: gantry.token });
    expect(file()).toContain(server.keys.sealKey.fingerprint);
    expect(file()).toContain(gantry.token);
    await cli.run(["logout", gantry.url], { env });
    expect(file()).toContain(server.keys.sealKey.fingerprint);
    expect(file()).not.toContain(gantry.token);
  });

  it("is shown by gantry servers show, with the tools, and missing before an agent has connected", async () => {
    const server = await newServer();
    const shown = await cli.run(["servers", "show", server.serverId], optionsOf(server));
    expect(shown.stdout).toContain(`seal key\t${server.keys.sealKey.fingerprint}\n`);
    expect(shown.stdout).toContain("tools\tnode 24.11.1, corepack\n");
    const created = await server.api.call("POST", "/v1/servers", { name: "no-agent", ip: "192.0.2.1" });
    const project = await server.api.createProject({
      name: "no-agent",
      repository: "https://example.com/x.git",
      server_id: ServerCreated.parse(created.json).id,
    });
    const refused = await variables({ ...server, projectId: project.id }, args, withInput);
    expect(refused).toMatchObject({ code: 4, stderr: expect.stringContaining("No seal key") });
  });
});

describe("gantry variables import and export", () => {
  it("seals the named secrets of a file, and exports the rest in the same form", async () => {
    const server = await newServer();
    const text = 'URL=https://shop.test\nLINES="a\nb\'s $c"\nPASSWORD=battery-staple # rotate\n';
    const args = ["import", fileWith("a.env", text), "--secret", "PASSWORD"];
    const imported = await variables(server, args);
    expect(imported).toMatchObject({ code: 0, stdout: expect.stringContaining("Set 3 variables of") });
    expect(sent.join("\n")).not.toContain("battery-staple");
    expect(await openedSecrets(server)).toEqual({ PASSWORD: "battery-staple" });
    const exported = await variables(server, ["export"]);
    expect(exported.stdout).toBe(
      'LINES="a\nb\'s \\$c"\n# PASSWORD is a secret. Its value cannot be exported.\nURL=https://shop.test\n',
    );
    const again = await variables(server, ["import", "-"], { input: exported.stdout });
    expect(again.stdout).toBe("Nothing has changed: revision 1 has these values.\n");
    // A secret of the project stays one.
    expect((await variables(server, ["import", "-"], { input: "PASSWORD=correct-horse" })).code).toBe(0);
    const port = await variables(server, ["import", "-"], { input: "PORT=3000\nHOST=0.0.0.0" });
    expect(port.stderr).toMatch(/^PORT has no effect .*\nHOST has no effect on instances with a port: /);
    expect(await openedSecrets(server)).toEqual({ PASSWORD: "correct-horse" });
    expect(sent.join("\n")).not.toContain("correct-horse");
  });

  it("seals all of a file with --all-secret", async () => {
    const server = await newServer();
    const args = ["import", "-", "--all-secret", "--build", "--json"];
    const { stdout } = await variables(server, args, { input: "A=battery-staple\r\nB='correct horse'\r\n" });
    expect(Variables.parse(jsonOf(stdout)).variables).toMatchObject([
      { name: "A", secret: true, build: true },
      { name: "B", secret: true, build: true },
    ]);
    expect(await openedSecrets(server)).toEqual({ A: "battery-staple", B: "correct horse" });
  });

  it("sends nothing if a line is wrong, and names each wrong line without its text", async () => {
    const server = await newServer();
    const text = `A=1\nhunter2\n2B=hunter2\nGANTRY_X=1\nA=hunter2\nC='hunter2\n`;
    const refused = await variables(server, ["import", "-"], { input: text });
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr.match(/^ {2}line \d+/gm)).toEqual([2, 3, 4, 5, 6].map((line) => `  line ${line}`));
    expect(refused.stderr).not.toContain("hunter2");
    const json = await variables(server, ["import", "-", "--json"], { input: "A-B=1" });
    expect(jsonOf(json.stderr)).toMatchObject({ problem: { errors: [{ pointer: "line 1" }] }, exit_code: 2 });
    expect((await variables(server, ["import", "-"])).stderr).toContain("has no variables");
    const missing = await variables(server, ["import", "-", "--secret", "B"], { input: "A=1" });
    expect(missing.stderr).toContain("has no variable B");
    expect((await server.variables()).revision).toBe(0);
  });
});

describe("gantry variables list, remove and history", () => {
  it("show and change what is set, without values of secrets", async () => {
    const server = await newServer();
    await variables(server, ["set", "URL=https://shop.test", "TEXT=a\n\u001b[2Jb"]);
    await server.update({ set: [{ name: "PASSWORD", value: "battery-staple", secret: true }] });
    const listed = await variables(server, ["list"]);
    expect(listed.stdout.split("\n").map((line) => line.split("\t").slice(0, 3))).toEqual([
      ["PASSWORD", "secret", "sealed"],
      ["TEXT", "plain", "a\\nb"],
      ["URL", "plain", "https://shop.test"],
      [""],
    ]);
    expect(Variables.parse(jsonOf((await variables(server, ["--json"])).stdout)).revision).toBe(2);

    const misspelt = await variables(server, ["remove", "URL", "TXET", "--yes"]);
    expect(misspelt).toMatchObject({ code: 4, stderr: expect.stringContaining("mean TEXT?") });
    expect((await variables(server, ["remove", "URL"])).stderr).toContain("--yes");
    const removed = await variables(server, ["remove", "URL", "PASSWORD", "--yes"]);
    expect(removed.stdout).toContain("Removed URL, PASSWORD in revision 3.");
    expect(valuesOf(await server.variables())).toEqual({ TEXT: "a\n\u001b[2Jb" });

    const history = await variables(server, ["history"]);
    const rows = history.stdout.split("\n").map((line) => line.split("\t"));
    expect(rows.map(([revision, , by, set, gone]) => [revision, by, set, gone])).toEqual([
      ["3", "test", "", "URL,PASSWORD"],
      ["2", "test", "PASSWORD", ""],
      ["1", "test", "URL,TEXT", ""],
      ["", undefined, undefined, undefined],
    ]);
    const newest = await variables(server, ["history", "-n", "1", "--json"]);
    const { revisions } = z.pick(VariableRevisions, { revisions: true }).parse(jsonOf(newest.stdout));
    expect(revisions.map(({ revision }) => revision)).toEqual([3]);
  });
});

/** A proxy that names another fingerprint for the server's key than the key has. */
async function createLyingProxy(target: string, change: (text: string) => string) {
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Uint8Array[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const answer = await fetch(target + (request.url ?? ""), {
        method: request.method ?? "GET",
        headers: {
          authorization: request.headers.authorization ?? "",
          "content-type": request.headers["content-type"] ?? "application/json",
        },
        body: chunks.length === 0 ? null : Buffer.concat(chunks),
      });
      const text = change(await answer.text());
      response.writeHead(answer.status, { "content-type": "application/json" }).end(text);
    })();
  });
  const port = await listenLocally(server);
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
