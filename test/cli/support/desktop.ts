import { existsSync, readFileSync } from "node:fs";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { beforeAll } from "vitest";
import * as z from "zod";

import { type Gantry, useGantry } from "../../openapi/support/gantry.ts";
import { addMember, becomeOwner, type Person } from "../../support/people.ts";
import { createCli, type Running } from "./command.ts";

/** A keyring in a file. It takes the secret only from standard input, as the real one. */
const SECRET_TOOL = `#!/usr/bin/env node
import { readFileSync, rmSync, writeFileSync } from "node:fs";
const [act, ...words] = process.argv.slice(2);
const file = process.env.KEYRING_FILE;
if (file === undefined) { console.error("Cannot autolaunch D-Bus without X11"); process.exit(1); }
const key = words.filter((word) => !word.startsWith("--")).join(" ");
const all = (() => { try { return JSON.parse(readFileSync(file, "utf8")); } catch { return {}; } })();
if (act === "store") all[key] = readFileSync(0, "utf8");
else if (act === "clear") delete all[key];
else if (key in all) { process.stdout.write(all[key]); process.exit(0); }
else process.exit(1);
writeFileSync(file, JSON.stringify(all));
`;

/** A browser that only notes the address. */
const XDG_OPEN = `#!/bin/sh
printf '%s' "$1" > "$BROWSER_FILE"
`;

const Page = z.object({ challenge: z.string(), name: z.string(), port: z.optional(z.string()) });

/** What the address of a sign-in's page says. */
export const fragmentOf = (address: string) =>
  Page.parse(Object.fromEntries(new URLSearchParams(new URL(address).hash.slice(1))));

/** The address and the code that a command prints. */
export async function shownBy(command: Running, stream: "stdout" | "stderr") {
  await command.printed(stream, "and type the code");
  const text = command[stream]();
  const address = /Open (\S+\/app\/connect#\S+)/.exec(text)?.[1] ?? "";
  const code = /and type the code (\w{4}-\w{4})/.exec(text)?.[1] ?? "";
  return { ...fragmentOf(address), address, code };
}

/** The output of gantry whoami --json for a person. */
export const Shown = z.object({
  token: z.object({ name: z.string() }),
  member: z.object({ name: z.string() }),
});

/** The command, a member of its installation, and the programs of a desktop. Call it at the top of a test file. */
export function useDesktops() {
  const cli = createCli();
  const programs = join(cli.home, "programs");
  let gantry: Gantry;
  let grace: Person;
  let folders = 0;

  beforeAll(async () => {
    gantry = await useGantry();
    const owner = await becomeOwner(gantry.url, gantry.signInCode(), "Ada");
    grace = await addMember(gantry.url, owner.token, [{ role: "deployer" }], "Grace");
    await mkdir(programs);
    await writeFile(join(programs, "package.json"), '{ "type": "module" }');
    for (const [name, text] of Object.entries({ "secret-tool": SECRET_TOOL, "xdg-open": XDG_OPEN })) {
      await writeFile(join(programs, name), text);
      await chmod(join(programs, name), 0o755);
    }
  });

  return {
    cli,
    get gantry() {
      return gantry;
    },
    /** A new desktop. `env` is the environment of its programs. */
    newDesktop() {
      folders += 1;
      const folder = join(cli.home, `desktop-${folders}`);
      const [keyringFile, browserFile] = [`${folder}.keyring`, `${folder}.address`];
      const config = join(folder, "gantry", "config.json");
      return {
        env: {
          XDG_CONFIG_HOME: folder,
          PATH: `${programs}:${process.env["PATH"] ?? ""}`,
          KEYRING_FILE: keyringFile,
          BROWSER_FILE: browserFile,
          GANTRY_KEYRING: "",
        },
        /** The configuration file; null: there is none. */
        config: () => (existsSync(config) ? readFileSync(config, "utf8") : null),
        /** What is in the keyring; null: nothing was ever stored. */
        keyring: (): unknown =>
          existsSync(keyringFile) ? JSON.parse(readFileSync(keyringFile, "utf8")) : null,
        /** The address that the browser has opened; null: none. */
        opened: () => (existsSync(browserFile) ? readFileSync(browserFile, "utf8") : null),
      };
    },
    /** Allows a command to sign in, as the page does. */
    allow: async (challenge: string, code: string, more: object = {}) =>
      await grace.api.call("POST", "/v1/tokens/connect", {
        ...{ challenge, code, name: "laptop", scopes: ["deployments:write", "projects:read"] },
        ...more,
      }),
  };
}
