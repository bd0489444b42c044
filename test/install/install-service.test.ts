import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { type Gantry, useGantry } from "../openapi/support/gantry.ts";
import { DownloadSite } from "../support/download-site.ts";
import { readServer, registerServer } from "../support/enrolments.ts";
import { ServiceMachine } from "../support/service-machine.ts";

const probe = await ServiceMachine.create();
await probe?.close();

describe.skipIf(probe === null)("a service, on a disposable machine", () => {
  let gantry: Gantry;
  let site: DownloadSite;
  let machine: ServiceMachine;
  beforeAll(async () => {
    gantry = await useGantry();
  });
  beforeEach(async () => {
    site = await DownloadSite.open(gantry.url);
    const made = await ServiceMachine.create();
    if (made === null) throw new Error("this machine no longer allows mount namespaces");
    machine = made;
  });
  afterEach(async () => {
    await machine.close();
    await site.close();
  });

  async function install(token: string | null, args = "") {
    const script = await (await fetch(`${site.url}/install.sh`)).text();
    return await machine.run(`sh -s -- ${args}`, token === null ? {} : { GANTRY_TOKEN: token }, script);
  }
  const calls = async () => (await machine.run("cat /run/systemd/fake/calls")).output;
  const file = async (path: string) => (await machine.run(`cat ${path}`)).output;

  it("is enrolled and runs as its own user, is updated, and is removed with and without its files", async () => {
    const server = await registerServer(gantry);
    const installed = await machine.run(server.enrollment.command);
    expect(installed).toMatchObject({
      code: 0,
      output: expect.stringContaining(`connected to ${gantry.url} as ${server.id}`),
    });
    expect((await readServer(gantry, server.id)).status).toMatch(/healthy|degraded/);
    const user = await machine.run("getent passwd gantry");
    expect(user.output).toMatch(/:\/var\/lib\/gantry:\/usr\/sbin\/nologin\n$/);
    const modes = "stat -c '%U %a %n' /var/lib/gantry /var/lib/gantry/agent.json";
    expect((await machine.run(modes)).output).toBe(
      "gantry 750 /var/lib/gantry\ngantry 600 /var/lib/gantry/agent.json\n",
    );
    const owners = "stat -c '%U %a' /usr/local/lib/gantry/gantry-agent.mjs /etc/gantry/policy.json";
    expect((await machine.run(owners)).output).toBe("root 644\nroot 644\n");
    expect((await machine.run("ps -o user= -p $(cat /run/systemd/fake/pid)")).output.trim()).toBe("gantry");
    expect(await calls()).toMatch(/daemon-reload\nenable --quiet gantry-agent\nrestart gantry-agent\n/);
    expect((await machine.run("gantry-agent status")).code).toBe(0);

    const before = await file("/run/systemd/fake/pid");
    await machine.run('echo \'{"version":1,"build_commands":"none"}\' > /etc/gantry/policy.json');
    expect((await install(null)).output).toContain("connected to");
    expect(await file("/run/systemd/fake/pid")).not.toBe(before);
    expect(await file("/etc/gantry/policy.json")).toContain('"none"');

    const removed = await install(null, "--uninstall");
    expect(removed).toMatchObject({
      code: 0,
      output: expect.stringContaining("; /etc/gantry; the user gantry."),
    });
    const left = "ls -d /etc/systemd/system/gantry-agent.service /usr/local/bin/gantry-agent /var/lib/gantry";
    expect((await machine.run(`${left} 2>/dev/null`)).output).toBe("/var/lib/gantry\n");
    expect((await install(null)).output).toContain(`as ${server.id}`);
    expect((await install(null, "--uninstall --purge")).code).toBe(0);
    const nothing =
      "ls -d /usr/local/lib/gantry /var/lib/gantry /etc/gantry 2>/dev/null; getent passwd gantry";
    expect((await machine.run(nothing)).output).toBe("");
  });

  it("gets the strict policy of the install command, and keeps the policy that it has", async () => {
    const { enrollment } = await registerServer(gantry);
    const list = "--policy strict --repositories https://github.com/you/*,git@github.com:you/*";
    expect(await install(enrollment.token, "--policy strict --repositories github.com/you")).toMatchObject({
      code: 2,
      output: expect.stringMatching(/nothing was installed[^]*must be an address such as/),
    });
    expect((await machine.run("ls -d /etc/gantry /usr/local/lib/gantry /var/lib/gantry")).output).not.toMatch(
      /^\//m,
    );
    expect(await install(enrollment.token, `${list} --allow-cron --allow-commands`)).toMatchObject({
      code: 0,
    });
    const policy = async () => JSON.parse(await file("/etc/gantry/policy.json"));
    expect(await policy()).toMatchObject({
      repositories: ["https://github.com/you/*", "git@github.com:you/*"],
      processes: "repository",
      variables: "no_loaders",
      // Jobs of repositories are allowed, and that stays so.
      cron: "repository",
      commands: "any",
    });
    expect((await machine.run("gantry-agent status")).output).toContain("policy: Limited: ");
    const again = await install(null, "--policy open");
    expect(again).toMatchObject({
      code: 0,
      output: expect.stringMatching(
        /kept the policy of this server, .*--policy open changes no existing one/,
      ),
    });
    expect(await policy()).toMatchObject({ processes: "repository" });
    expect((await install(null)).output).not.toContain("kept the policy");
  });

  it("runs the previous file again after an update to a file that does not start", async () => {
    const { enrollment } = await registerServer(gantry);
    await install(enrollment.token);
    site.release('if (process.argv[2] === "run") throw new Error("broken"); console.log("fine");\n');
    const update = await install(null);
    expect(update).toMatchObject({
      code: 12,
      output: expect.stringContaining("the previous version was put back"),
    });
    expect(update.output).toContain("broken");
    await expect.poll(async () => (await machine.run("gantry-agent status")).code).toBe(0);
  });

  it("runs the file that ran before, also if an update to another file was killed meanwhile", async () => {
    const { enrollment } = await registerServer(gantry);
    await install(enrollment.token);
    const unit = await file("/etc/systemd/system/gantry-agent.service");
    site.release('if (process.argv[2] === "run") throw new Error("broken"); console.log("fine");\n');
    await machine.run("touch /run/systemd/fake/kill");
    expect(await install(null, "--metrics 127.0.0.1:9477")).toMatchObject({ code: 137 });
    expect(await file("/etc/systemd/system/gantry-agent.service")).not.toBe(unit);
    expect(await install(null)).toMatchObject({ code: 12 });
    await expect.poll(async () => (await machine.run("gantry-agent status")).code).toBe(0);
    expect(await file("/etc/systemd/system/gantry-agent.service")).toBe(unit);
    expect((await machine.run("ls /usr/local/lib/gantry")).output).not.toContain("old");
  });

  it("is neither installed nor removed beside an agent that was started by hand", async () => {
    const { enrollment } = await registerServer(gantry);
    await install(enrollment.token, "--no-start");
    expect(await calls()).not.toContain("restart");
    await machine.run("systemctl restart gantry-agent");
    await expect.poll(async () => (await machine.run("gantry-agent status")).code).toBe(0);
    // The agent still runs, but systemd does not know it.
    const pid = (await file("/run/systemd/fake/pid")).trim();
    await machine.run("rm /run/systemd/fake/pid");
    const updated = await install(null);
    const unit = await file("/etc/systemd/system/gantry-agent.service");
    const removed = await install(null, "--uninstall --purge");
    const unitAfter = await file("/etc/systemd/system/gantry-agent.service");
    await machine.run(`echo ${pid} > /run/systemd/fake/pid`);
    const refusal = {
      code: 11,
      output: expect.stringContaining(`as process ${pid}, but not as the service`),
    };
    expect(updated).toMatchObject(refusal);
    expect(removed).toMatchObject(refusal);
    expect(unitAfter).toBe(unit);
  });

  it("writes nothing as root through a link that the agent's user has put into its home folder", async () => {
    const { enrollment } = await registerServer(gantry);
    expect((await install(enrollment.token)).code).toBe(0);
    await machine.run(
      "mkdir /etc/of-root; setpriv --reuid gantry ln -s /etc/of-root /var/lib/gantry/ingress",
    );
    await machine.run("printf '#!/bin/sh\\necho v2.11.4\\n' > /usr/local/caddy; chmod 755 /usr/local/caddy");
    const script = await (await fetch(`${site.url}/install.sh`)).text();
    const given = { GANTRY_CADDY: "/usr/local/caddy" };
    const refused = await machine.run("sh -s -- --ingress-listen 127.0.0.1:1", given, script);
    expect(refused).toMatchObject({ code: 13, output: expect.stringContaining("/ingress/caddy.json") });
    expect((await machine.run("ls /etc/of-root")).output).toBe("");
  });

  it("keeps the user and the record of an earlier installation if its files remain and the next one fails", async () => {
    const { enrollment } = await registerServer(gantry);
    await install(enrollment.token);
    await install(null, "--uninstall");
    await machine.run("mv /etc/gantry /etc/kept; touch /etc/gantry");
    expect(await install(null)).toMatchObject({ code: 13 });
    expect((await machine.run("stat -c %U /var/lib/gantry")).output).toBe("gantry\n");
    await machine.run("rm /etc/gantry; mv /etc/kept /etc/gantry");
    expect((await install(null)).output).toContain("connected to");
    expect((await install(null, "--uninstall --purge")).code).toBe(0);
    expect((await machine.run("ls -d /var/lib/gantry; id gantry")).output).not.toMatch(/^(?:uid|\/)/m);
  });

  it("leaves no user and no folder if its token is refused", async () => {
    expect((await install(`gantry_enroll_${"x".repeat(36)}`)).code).toBe(10);
    const nothing = "ls -d /usr/local/lib/gantry /var/lib/gantry 2>/dev/null; getent passwd gantry";
    expect((await machine.run(nothing)).output).toBe("");
  });
});
