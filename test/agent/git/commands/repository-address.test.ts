import { execFile } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";

import { readRemote } from "#agent/git/commands/git-login.ts";
import { listRemote } from "#agent/git/commands/git.ts";
import { matchesPattern } from "#agent/policy/repository-address.ts";
import { withToken } from "#agent/secrets/repository-token.ts";
import { sshHostOf } from "#agent/git/ssh/known-hosts.ts";
import {
  parseRepository,
  type RepositoryAddress,
  repositoryOf,
} from "#contract/addresses/repository-address.ts";
import { isOverSsh, readAddress, repositoryKey, repositoryPageAtForge, tokenHost } from "#contract/forge.ts";
import { ProjectRepository } from "#contract/addresses/pasted-repository.ts";
import { maskUrlSecret, Repository } from "#contract/git-names.ts";
import { createMask } from "#contract/mask.ts";
import { splitLogin } from "#domain/repository-login.ts";
import { hostilePieces } from "../../../support/hostile-addresses.ts";

const repository = fc
  .tuple(
    fc.constantFrom("https://", "https://", "ssh://", "ssh://", "git@", "file:///", "/", ""),
    fc.array(hostilePieces, { maxLength: 3 }),
    fc.constantFrom("good.example", "good.example", "evil.example", ""),
    fc.array(hostilePieces, { maxLength: 2 }),
    fc.constantFrom("/acme/shop.git", ":acme/shop.git", "/a%20b/c", ":22/shop", ""),
    fc.array(hostilePieces, { maxLength: 1 }),
  )
  .map((parts) => parts.flat().join(""));

/** Where git's own parser finds the host of an ssh address, and ssh the user. Source: connect.c and url.c of git. */
function readAsGit(text: string): { readonly user: string; readonly host: string; readonly port: string } {
  const isUrl = text.startsWith("ssh://");
  const decoded = isUrl ? decode(text.slice("ssh://".length)) : text;
  const authority = isUrl ? decoded.slice(0, decoded.indexOf("/")) : decoded.slice(0, decoded.indexOf(":"));
  const at = authority.lastIndexOf("@");
  const [, name = "", port = "22"] = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/.exec(authority.slice(at + 1)) ?? [];
  return { user: authority.slice(0, Math.max(at, 0)), host: name.replace(/^\[|\]$/g, ""), port };
}

/** Each reading of the address that differs from what git and curl connect to. */
function differences(stored: string, parsed: RepositoryAddress): readonly string[] {
  const wrong: string[] = [];
  const check = (what: string, isRight: boolean) => void (isRight || wrong.push(what));
  const shown = maskUrlSecret(stored);
  const shownParsed = parseRepository(shown);
  check("one form", parsed.text === stored);
  check("shown kind", shownParsed.ok && shownParsed.value.kind === parsed.kind);
  check("policy", !matchesPattern(stored, "https://good.example/**") || tokenHost(stored) === "good.example");
  const remote = readRemote(stored).url;
  switch (parsed.kind) {
    case "https": {
      const url = new URL(stored);
      const given = new URL(remote);
      check("login", decode(url.username) === decode(parsed.login?.user ?? ""));
      check("password", decode(url.password) === decode(parsed.login?.password ?? ""));
      check("given to git", given.href === remote && given.host === url.host && given.username === "");
      check("host of the token", tokenHost(stored) === url.host);
      check("token", new URL(withToken(stored, "t/1")).host === url.host);
      check("shown host", new URL(shown).host === url.host);
      check("page", [null, url.host].includes(new URL(repositoryPageAtForge(stored) ?? stored).host));
      check("place", [undefined, url.hostname].includes(readAddress(stored)?.host));
      break;
    }
    case "ssh":
    case "scp": {
      const git = readAsGit(remote);
      const host = git.port === "22" ? git.host : `[${git.host}]:${git.port}`;
      check("pinned host", sshHostOf(stored) === host);
      check("user", git.user === (parsed.kind === "scp" ? parsed.user : (parsed.login?.user ?? "")));
      check("shown host", shownParsed.ok && sshHostOf(shown) === sshHostOf(stored));
      check("an option", ![git.host, git.user].some((word) => word.startsWith("-")));
      check("over ssh", isOverSsh(stored) && tokenHost(stored) === null);
      break;
    }
    case "docker":
      check("no page", repositoryPageAtForge(stored) === null && readAddress(stored) === null);
      check("host of the token", tokenHost(stored) === parsed.host);
      break;
    case "local":
      check("path", (remote.startsWith("/") ? remote : decodeURIComponent(remote.slice(7))) === parsed.path);
      check("given to git", remote === stored && repositoryKey(stored).startsWith("/"));
      break;
  }
  const password = "login" in parsed ? (parsed.login?.password ?? "") : "";
  // Shorter ones are not masked, and a path may have the same text.
  if (password.length >= 4 && stored.split(password).length === 2) {
    const without = [
      shown,
      remote,
      splitLogin(stored)?.address,
      repositoryKey(splitLogin(stored)?.address ?? ""),
    ];
    check(
      "secret",
      ![...without, createMask(stored)(`fatal: ${stored}`)].some((text) => text?.includes(password)),
    );
  }
  return wrong;
}

/** Each byte for itself, because a password may have a `%` that encodes nothing. */
function decode(text: string): string {
  return text.replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
}

describe("a repository's address that is accepted", () => {
  it("is shown, compared and connected to as the same one, in thousands of hostile forms", () => {
    const kinds = new Map<string, number>();
    const numRuns = inject("sample").isWhole ? 50_000 : 5_000;
    fc.assert(
      fc.property(repository, (text) => {
        if (!Repository.safeParse(text).success) return;
        const stored = ProjectRepository.safeParse(text).data ?? repositoryOf(text).text;
        const parsed = repositoryOf(stored);
        kinds.set(parsed.kind, (kinds.get(parsed.kind) ?? 0) + 1);
        expect({ text, wrong: differences(stored, parsed) }).toEqual({ text, wrong: [] });
      }),
      { numRuns },
    );
    for (const kind of ["https", "ssh", "scp", "local"])
      expect(kinds.get(kind), kind).toBeGreaterThan(numRuns / 500);
  });

  const folder = mkdtempSync(join(tmpdir(), "gantry-git-"));
  const proxy = createServer();
  let connections: string[] = [];

  beforeAll(async () => {
    writeFileSync(join(folder, "ssh"), `#!/bin/sh\nprintf '%s\\n' "$@" >&2\nexit 1\n`);
    chmodSync(join(folder, "ssh"), 0o755);
    proxy.on("connect", ({ url = "" }, socket) => {
      connections.push(url);
      socket.end("HTTP/1.1 503 Not here\r\n\r\n");
    });
    await new Promise<void>((resolve) => void proxy.listen(0, "127.0.0.1", resolve));
  });
  afterAll(() => {
    proxy.close();
    rmSync(folder, { recursive: true });
  });

  /** Runs the agent's git command. @returns its output */
  async function runGit(remote: string): Promise<string> {
    const address = proxy.address();
    const port = typeof address === "object" ? address?.port : 0;
    const env = {
      PATH: process.env["PATH"] ?? "",
      HOME: folder,
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_TERMINAL_PROMPT: "0",
      GIT_SSH_VARIANT: "ssh",
      GIT_SSH_COMMAND: join(folder, "ssh"),
      https_proxy: `http://127.0.0.1:${port}`,
    };
    const command = listRemote({ remote, uploadPack: null, isConfined: false, env }, folder, []);
    const [program, ...args] = command.argv;
    return await promisify(execFile)(program, args, { cwd: folder, env: { ...command.env } }).then(
      ({ stderr }) => stderr,
      (error: { readonly stderr: string }) => error.stderr,
    );
  }

  it.each([
    "https://good.example/acme/shop.git",
    "https://GOOD.example:443/acme/shop.git",
    "https://user:pa%40ss@good.example:8443/acme/shop.git",
    "https://evil.example:x;=&@good.example/acme/shop.git",
    "https://good.example/@evil.example/shop.git",
    "https://good.example//evil.example/shop.git",
    "https://bücher.example/shop.git",
    "https://xn--bcher-kva.example/shop.git",
    "https://127.0.0.1:8443/shop.git",
    "https://[::1]:8443/shop.git",
  ])("over https leads git to the host that is shown: %s", async (text) => {
    const parsed = ProjectRepository.safeParse(text);
    if (!parsed.success) return expect(text).toContain("ü");
    connections = [];
    await runGit(parsed.data);
    const { hostname, port } = new URL(maskUrlSecret(parsed.data));
    expect(connections).toEqual([`${hostname}:${port || "443"}`]);
  });

  it.each([
    ["ssh://git@good.example/acme/shop.git", ["git@good.example", "git-upload-pack '/acme/shop.git'"]],
    ["ssh://git@GOOD.example:22/a%20b", ["git@good.example", "git-upload-pack '/a b'"]],
    ["ssh://git:pa55word@good.example:2222/~you/shop", ["git@good.example", "git-upload-pack '~you/shop'"]],
    ["ssh://git@[::1]:2222/a", ["git@::1", "git-upload-pack '/a'"]],
    ["ssh://good.example/@evil.example/a", ["good.example", "git-upload-pack '/@evil.example/a'"]],
    ["git@good.example:2222/shop.git", ["git@good.example", "git-upload-pack '2222/shop.git'"]],
    ["git@Good.example:a%20b@evil.example", ["git@good.example", "git-upload-pack 'a%20b@evil.example'"]],
  ])("over ssh leads ssh to the host that is pinned: %s", async (text, args) => {
    const stored = repositoryOf(text).text;
    const printed = await runGit(stored);
    const [, port = "22"] = /^-p\n(\d+)$/m.exec(printed) ?? [];
    expect(printed.split("\n")).toEqual(expect.arrayContaining(args));
    const host = args[0]?.replace(/^.*@/, "") ?? "";
    expect(sshHostOf(stored)).toBe(port === "22" ? host : `[${host}]:${port}`);
  });
});

it.each([
  ["another host after git has decoded it", "ssh://good.example%2Fx@evil.example/a"],
  ["another host after ssh has split it", "ssh://git@good.example@evil.example/a"],
  ["a host in brackets", "ssh://[git@evil.example]/a"],
  ["an option of ssh", "ssh://-oProxyCommand=id/a"],
  ["an option of ssh as the user", "-oProxyCommand=id@good.example:a"],
  ["a program", "ext::sh -c id"],
  ["a parent folder that git decodes", "file:///srv/git/%2e%2e/other"],
  ["a parent folder over ssh that git decodes", "ssh://git@good.example/a/%2E%2E/b"],
  ["a backslash", String.raw`https://evil.example\@good.example/a`],
  ["a query before the host", "https://evil.example?@good.example/a"],
  ["a fragment before the host", "https://evil.example#@good.example/a"],
  ["two logins", "https://a:b@c:d@good.example/a"],
  ["an address in decimal", "ssh://git@2130706433/a"],
  ["an address in decimal, in the short form", "git@2130706433:a"],
  ["a dot after the host", "git@good.example.:a"],
  ["no host", "https:///a"],
  ["a port that is none", "ssh://git@good.example:0/a"],
])("an address with %s is refused, and the message says what to write", (_, text) => {
  const parsed = parseRepository(text);
  expect(parsed.ok ? "" : parsed.message).toMatch(/^must /);
});
