import { existsSync, readFileSync } from "node:fs";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { beforeAll, expect, it } from "vitest";

import { createCli } from "../cli/support/command.ts";
import { shownBy } from "../cli/support/desktop.ts";
import { eventually } from "../support/faults/eventually.ts";
import { addMember, becomeOwner, type Person } from "../support/people.ts";
import { openSignedIn } from "./support/sign-in.ts";
import { useDashboard } from "./support/use-dashboard.ts";

const { local, link, named, visit } = await useDashboard({ account: "empty" });
const cli = createCli();
let grace: Person;
beforeAll(async () => {
  const owner = await becomeOwner(local.url, new URL(link).hash.slice("#code=".length), "Ada");
  grace = await addMember(local.url, owner.token, [{ role: "deployer" }], "Grace");
});

const pathOf = (address: string) => address.slice(local.url.length);
const signedIn = () => ({ ...local, token: grace.token });

it("a person allows a command on another machine, by the code in its terminal", async () => {
  const login = cli.start(["login", local.url, "--no-browser"]);
  const { address, code } = await shownBy(login, "stderr");
  const { page } = await visit();
  await openSignedIn(page, signedIn(), pathOf(address));
  await page.getByText("asks to sign in as Grace").waitFor();
  await page.getByText("The command can be on any machine.").waitFor();
  await page.getByRole("button", { name: "Allow" }).click();
  await page.getByText("Type the eight characters that your terminal shows.").waitFor();
  await page.getByLabel("Code in your terminal").fill("0000-0000");
  await page.getByText("These are not the characters in your terminal.").waitFor();
  await page.getByLabel("Code in your terminal").fill(code.toLowerCase().replace("-", ""));
  await page.getByLabel("It may").selectOption("Only see what you may see");
  await page.getByLabel("Name of its token").fill("build machine");
  await page.getByRole("button", { name: "Allow" }).click();
  await page.getByText("Return to the terminal.").waitFor();
  const ended = await login.ended;
  expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining('with the token "build machine"') });
  const shown = await cli.run(["whoami"]);
  expect(shown.stdout).toMatch(/^allows\tviewer in all projects$/m);
});

it("a command that has opened the browser gets its proof from the page", async () => {
  const programs = join(cli.home, "programs");
  const opened = join(cli.home, "opened");
  await mkdir(programs);
  await writeFile(join(programs, "xdg-open"), `#!/bin/sh\nprintf '%s' "$1" > ${opened}\n`);
  await chmod(join(programs, "xdg-open"), 0o755);
  const env = { DISPLAY: ":0", PATH: `${programs}:${process.env["PATH"] ?? ""}` };
  const login = cli.inTerminal(["login", local.url], { env });
  await login.printed("stdout", `Token for ${local.url}: `);
  login.type("\r");
  const { code } = await shownBy(login, "stdout");
  await eventually("the browser is opened", () => existsSync(opened));
  // The test refuses requests to other addresses unless it expects them.
  const { page } = await visit({ expected: /request to http:..127.0.0.1:\d+.\?proof=/ });
  // The address at which passkeys work.
  const path = readFileSync(opened, "utf8").slice(named.length);
  await openSignedIn(page, { ...signedIn(), url: named }, path);
  await page.getByLabel("Code in your terminal").fill(code);
  expect(await page.getByText("The command can be on any machine.").count()).toBe(0);
  await page.getByRole("button", { name: "Allow" }).click();
  await page.getByText("Return to the terminal.").waitFor();
  expect(page.url()).toBe(`${named}/app/connect#connected`);
  expect(await login.ended).toMatchObject({ code: 0, stdout: expect.stringContaining("as Grace, ") });
});

it("the page without a command, and for somebody without a name, says what to do", async () => {
  const { page } = await visit();
  await openSignedIn(page, local, "/app/connect");
  await page.getByText(`Run gantry login ${local.url}`).waitFor();
  const challenge = "S_eF2OHUBZZ_CvcNtgGTCfaSka-9XWmhNlUiOKn5ikE";
  await page.goto(`${local.url}/app/connect#challenge=${challenge}&name=a%00b`);
  await page.getByText("Only a member can allow a command to sign in").waitFor();
});
