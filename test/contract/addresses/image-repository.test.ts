import { describe, expect, it } from "vitest";

import { CreateHookInput } from "#contract/endpoints/hooks/schemas.ts";
import { isOverSsh, repositoryKey, repositoryPageAtForge, tokenHost } from "#contract/forge.ts";
import { ProjectRepository } from "#contract/addresses/pasted-repository.ts";
import { maskRepository, Repository, RequestedCommit } from "#contract/git-names.ts";
import { createMask } from "#contract/mask.ts";
import { splitLogin } from "#domain/repository-login.ts";

const outcomeOf = (text: string) => {
  const parsed = ProjectRepository.safeParse(text);
  return parsed.success ? parsed.data : parsed.error.issues.map(({ message }) => message).join("; ");
};

describe("the address of a repository of images", () => {
  it.each([
    [" docker://ghcr.io/acme/shop/ ", "docker://ghcr.io/acme/shop"],
    ["docker://ada@GHCR.io/acme/shop", "docker://ada@ghcr.io/acme/shop"],
    ["docker://127.0.0.1:5000/shop", "docker://127.0.0.1:5000/shop"],
    ["docker://images.example.com:443/a/b/c", "docker://images.example.com:443/a/b/c"],
    ["docker://localhost/shop", "docker://localhost/shop"],
    ["docker://docker.io/node", "docker://docker.io/library/node"],
    ["docker://index.docker.io/acme/shop", "docker://docker.io/acme/shop"],
  ])("%s is stored as %s", (text, stored) => {
    expect(outcomeOf(text)).toBe(stored);
    expect(Repository.safeParse(stored).success).toBe(true);
  });

  it.each([
    ["docker://ghcr.io/acme/shop:v1", "must not have a tag: it is the `branch`"],
    [
      `docker://ghcr.io/acme/shop@sha256:${"a".repeat(64)}`,
      "must not have a digest: deploy it as the commit, in `commit` of a deployment",
    ],
    [
      "docker://acme/shop",
      "must begin with the host of a registry: write docker://docker.io/NAME for Docker Hub",
    ],
    [
      "docker://ghcr.io/Acme/Shop",
      "must be docker://HOST/NAME, such as docker://ghcr.io/acme/shop, in lower case",
    ],
    ["docker://ghcr.io", "must be docker://HOST/NAME, such as docker://ghcr.io/acme/shop"],
    ["docker:ghcr.io/acme/shop", expect.stringContaining("must be")],
  ])("%s is refused", (text, message) => {
    expect(outcomeOf(text)).toEqual(message);
  });

  it("has a password that is sealed, and shown nowhere", () => {
    const address = "docker://ada:s3cret-token@ghcr.io/acme/shop";
    expect(splitLogin(address)).toEqual({
      address: "docker://ada@ghcr.io/acme/shop",
      token: "s3cret-token",
      isUserName: false,
    });
    expect(maskRepository(address)).toBe("docker://ada:***@ghcr.io/acme/shop");
    expect(createMask(address)("the s3cret-token")).toBe("the ***");
  });

  it("is nothing that git reads, and has no page at a git host", () => {
    const address = "docker://gitea.com/acme/shop";
    expect([tokenHost(address), isOverSsh(address), repositoryPageAtForge(address)]).toEqual([
      "gitea.com",
      false,
      null,
    ]);
    expect(repositoryKey(address)).not.toBe(repositoryKey("https://gitea.com/acme/shop"));
    expect(repositoryKey("docker://ada@gitea.com/acme/shop")).toBe(repositoryKey(address));
  });
});

it("a hook for images is of the kind registry, at a registry that sends a secret", () => {
  const problem = (forge: string, repository: string) =>
    CreateHookInput.safeParse({ forge, repository }).error?.issues[0]?.message;
  expect(problem("registry", "docker://gitea.com/acme/shop")).toBeUndefined();
  expect(problem("gitea", "docker://gitea.com/acme/shop")).toContain("must be `registry`");
  expect(problem("registry", "https://gitea.com/acme/shop")).toContain("must be `registry`");
  expect(problem("registry", "docker://ghcr.io/acme/shop")).toContain("cannot be checked");
});

it("the commit of an image is its digest, with and without sha256:", () => {
  const digest = "0123456789abcdef".repeat(4);
  expect(RequestedCommit.parse(`sha256:${digest}`)).toBe(digest);
  expect(RequestedCommit.parse(digest)).toBe(digest);
  expect(RequestedCommit.safeParse("sha256:0123456").success).toBe(false);
});
