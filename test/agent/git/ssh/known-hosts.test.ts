import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { FORGE_HOSTS, hostsInFile, keysOf, sshHostOf, withoutHost } from "#agent/git/ssh/known-hosts.ts";
import { sshCommand } from "#agent/git/ssh/ssh-command.ts";

const KEY = "AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl";
const FINGERPRINT = "SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU";

/** As the hosts publish them in their documentation. */
const published = {
  "github.com": FINGERPRINT,
  "[ssh.github.com]:443": FINGERPRINT,
  "gitlab.com": "SHA256:eUXGGm1YGsMAS7vkcx6JOJdOGHPem5gQp4taiCfCLB8",
  "[altssh.gitlab.com]:443": "SHA256:eUXGGm1YGsMAS7vkcx6JOJdOGHPem5gQp4taiCfCLB8",
  "bitbucket.org": "SHA256:ybgmFkzwOSotHTHLJgHO0QN8L0xErw6vd0VhFA9m3SM",
  "codeberg.org": "SHA256:mIlxA9k46MmM6qdJOdMnAQpzGxF4WIVVL+fj+wZbw0g",
  "git.sr.ht": "SHA256:WXXNZu0YyoE3KBl5qh4GsnF1vR0NeEPYJAiPME+P09g",
  "ssh.dev.azure.com": "SHA256:ohD8VZEXGWo6Ez8GSEJQ9WpafgLFsOfLOtGGQCQo6Og",
};

describe("the host keys", () => {
  it("that are built in have the fingerprints that their hosts publish", () => {
    const found = hostsInFile(FORGE_HOSTS).map(({ host, key }) => [host, key.fingerprint]);
    expect(Object.fromEntries(found)).toEqual(published);
  });

  it("of a file that ssh-keygen has hashed are found by the host's name", () => {
    const folder = mkdtempSync(join(tmpdir(), "gantry-hosts-"));
    const path = join(folder, "known_hosts");
    writeFileSync(path, `git.example.com ssh-ed25519 ${KEY}\n[git.example.com]:2222 ssh-ed25519 ${KEY}\n`);
    execFileSync("ssh-keygen", ["-q", "-H", "-f", path], { stdio: "ignore" });
    const file = readFileSync(path, "utf8");
    rmSync(folder, { recursive: true });
    expect(file).not.toContain("example.com");
    for (const host of ["git.example.com", "[git.example.com]:2222"])
      expect(keysOf(host, [file])).toEqual([{ type: "ED25519", fingerprint: FINGERPRINT }]);
    expect(keysOf("example.com", [file])).toEqual([]);
    expect(withoutHost("git.example.com", file).trim().split("\n")).toHaveLength(1);
  });

  it.each([
    ["a pattern", `*.example.com ssh-ed25519 ${KEY}`, 1],
    ["a pattern with an exception", `*.example.com,!git.example.com ssh-ed25519 ${KEY}`, 0],
    ["a list", `other.example.com,git.example.com ssh-ed25519 ${KEY}`, 1],
    ["a certificate authority", `@cert-authority *.example.com ssh-ed25519 ${KEY}`, 1],
    ["a revoked key", `@revoked git.example.com ssh-ed25519 ${KEY}`, 0],
    ["a comment", `# git.example.com ssh-ed25519 ${KEY}`, 0],
    ["another host whose name a dot would match", `gitxexample.com ssh-ed25519 ${KEY}`, 0],
  ])("are read from %s", (_, line, count) => {
    expect(keysOf("git.example.com", [line])).toHaveLength(count);
  });

  it.each([
    ["git@github.com:acme/shop.git", "github.com"],
    ["ssh://git@GitHub.com/acme/shop.git", "github.com"],
    ["ssh://git@git.example.com:22/acme/shop.git", "git.example.com"],
    ["ssh://git@git.example.com:2222/acme/shop.git", "[git.example.com]:2222"],
    ["ssh://git@[::1]:2222/acme/shop.git", "[::1]:2222"],
    ["https://github.com/acme/shop.git", null],
    ["/srv/git/shop", null],
    ["file:///srv/git/shop", null],
  ])("of %s are the keys of %s", (repository, host) => {
    expect(sshHostOf(repository)).toBe(host);
  });
});

it("paths with spaces, quotes and percent signs reach ssh unchanged", () => {
  const command = sshCommand({
    identities: ["/srv/it's me/100%/key"],
    mayAskAgent: false,
    knownHosts: ["/srv/it's me/100%/known_hosts", "/srv/it's me/other"],
    pinsNewHost: true,
  });
  const config = execFileSync("sh", ["-c", `${command} -G host.example`], { encoding: "utf8" });
  // ssh prints the tokens of keys as they are, and of known hosts replaced.
  expect(config).toContain("identityfile /srv/it's me/100%%/key\n");
  expect(config).toContain("userknownhostsfile /srv/it's me/100%/known_hosts /srv/it's me/other\n");
  expect(config).toMatch(/^stricthostkeychecking accept-new$/m);
  expect(config).toMatch(/^identitiesonly yes$/m);
});
