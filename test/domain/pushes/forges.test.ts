import { describe, expect, it } from "vitest";

import type { Delivery } from "#domain/pushes/delivery.ts";
import { isAboutRepository, readDelivery } from "#domain/pushes/read-delivery.ts";
import bitbucketPush from "../../support/deliveries/bitbucket-push.json" with { type: "json" };
import giteaPush from "../../support/deliveries/gitea-push.json" with { type: "json" };
import branchCreated from "../../support/deliveries/github-branch-created.json" with { type: "json" };
import ping from "../../support/deliveries/github-ping.json" with { type: "json" };
import tagCreated from "../../support/deliveries/github-tag-created.json" with { type: "json" };
import tagDeleted from "../../support/deliveries/github-tag-deleted.json" with { type: "json" };
import gitlabPush from "../../support/deliveries/gitlab-push.json" with { type: "json" };
import gitlabTagPush from "../../support/deliveries/gitlab-tag-push.json" with { type: "json" };

function pushesOf(delivery: Delivery) {
  if (delivery.kind !== "pushes") throw new Error(`the delivery is ${delivery.kind}`);
  return delivery.pushes;
}

const github = (body: unknown) => pushesOf(readDelivery("github", "push", body)).at(0);
const gitlab = (body: unknown) => pushesOf(readDelivery("gitlab", "Push Hook", body)).at(0);
const gitea = (body: unknown) => pushesOf(readDelivery("gitea", "push", body)).at(0);

const BEFORE = "1111111111111111111111111111111111111111";

describe("GitHub", () => {
  it("reports a new branch, with the files of its commits", () => {
    expect(readDelivery("github", "push", branchCreated)).toEqual({
      kind: "pushes",
      repository: "Codertocat/Hello-World",
      pushes: [
        {
          ref: "refs/heads/master",
          before: null,
          after: "6113728f27ae82c7b1a177c8d03f9e96e0adf246",
          message: branchCreated.head_commit.message,
          pusher: "Codertocat",
          paths: branchCreated.commits.flatMap(({ added }) => added),
        },
      ],
    });
  });

  it("reports new and deleted tags", () => {
    const tag = { ref: "refs/tags/simple-tag", before: null };
    expect(github(tagCreated)).toMatchObject({ ...tag, after: tagCreated.after, paths: null });
    expect(github(tagDeleted)).toMatchObject({ ...tag, before: tagDeleted.before, after: null });
  });

  it("takes the commit of a tag with a message, not the tag itself", () => {
    const head = { ...tagCreated.head_commit, id: BEFORE };
    expect(github({ ...tagCreated, head_commit: head })).toMatchObject({ after: BEFORE });
  });

  it("does not list all files after a forced push, or of too many commits", () => {
    const pushed = { ...branchCreated, before: BEFORE };
    expect(github(pushed)?.paths).toEqual(branchCreated.commits.flatMap(({ added }) => added));
    expect(github({ ...pushed, forced: true })?.paths).toBeNull();
    const many = Array.from({ length: 2048 }, () => branchCreated.commits[0]);
    expect(github({ ...pushed, commits: many })?.paths).toBeNull();
    expect(github({ ...pushed, commits: [] })?.paths).toBeNull();
  });

  it.each([
    ["a ref that git cannot have", { ref: `refs/heads/${"a".repeat(5000)}` }],
    ["a commit that is none", { after: "-x" }],
    ["a commit before that is none", { before: "main" }],
  ])("cannot report %s", (_what, wrong) => {
    expect(readDelivery("github", "push", { ...branchCreated, ...wrong })).toMatchObject({
      kind: "malformed",
    });
  });

  it("tests the hook with a ping", () => {
    expect(readDelivery("github", "ping", ping)).toEqual({ kind: "ping" });
    expect(readDelivery("github", "issues", {})).toEqual({ kind: "other" });
    expect(readDelivery("github", "push", { ref: "refs/heads/main" })).toEqual({
      kind: "malformed",
      field: "before",
    });
  });
});

describe("GitLab", () => {
  it("reports a push with the message of the last commit, wherever it is in the list", () => {
    const push = {
      ref: "refs/heads/master",
      before: gitlabPush.before,
      after: gitlabPush.after,
      message: "fixed readme\n\n[skip deploy]",
      pusher: "jsmith",
      paths: ["CHANGELOG", "app/controller/application.rb", "README.md", "docs/old.md"],
    };
    expect(readDelivery("gitlab", "Push Hook", gitlabPush)).toEqual({
      kind: "pushes",
      repository: "mike/diaspora",
      pushes: [push],
    });
    expect(gitlab({ ...gitlabPush, commits: gitlabPush.commits.toReversed() })?.message).toBe(push.message);
  });

  it("does not list the files of more than 20 commits", () => {
    expect(gitlab({ ...gitlabPush, total_commits_count: 21 })?.paths).toBeNull();
  });

  it("takes the commit of a tag, and no commit of a deleted one", () => {
    const [tag] = pushesOf(readDelivery("gitlab", "Tag Push Hook", gitlabTagPush));
    expect(tag).toMatchObject({ ref: "refs/tags/v1.0.0", before: null, after: gitlabTagPush.checkout_sha });
    const zeros = "0".repeat(40);
    const deleted = { ...gitlabTagPush, before: BEFORE, after: zeros, checkout_sha: null };
    expect(gitlab(deleted)).toMatchObject({ before: BEFORE, after: null });
  });
});

describe("a git server", () => {
  const AFTER = "2".repeat(40);
  const report = (...lines: string[]) =>
    readDelivery("git", "push", ["repository shop", "delivery 1-2", "pusher ada", ...lines, ""].join("\n"));

  it("reports several refs at once, with the message and the files of each", () => {
    const range = `${BEFORE}..${AFTER}`;
    const zeros = "0".repeat(40);
    expect(
      report(
        `push ${BEFORE} ${AFTER} refs/heads/main`,
        `message ${AFTER} Change "a" [skip deploy]  `,
        `path ${range} a file.txt`,
        `path ${range} src/Größe.ts`,
        `paths ${range} 2`,
        `push ${zeros} ${AFTER} refs/tags/v1`,
        `push ${BEFORE} ${zeros} refs/heads/old`,
      ),
    ).toEqual({
      kind: "pushes",
      repository: "shop",
      pushes: [
        {
          ...{ ref: "refs/heads/main", before: BEFORE, after: AFTER, pusher: "ada" },
          message: 'Change "a" [skip deploy]  ',
          paths: ["a file.txt", "src/Größe.ts"],
        },
        expect.objectContaining({ ref: "refs/tags/v1", before: null, after: AFTER, paths: null }),
        expect.objectContaining({ ref: "refs/heads/old", before: BEFORE, after: null }),
      ],
    });
  });

  it.each([
    ["some are missing", ["path R a", "paths R 2"]],
    ["git has quoted one", ['path R "a\\tb"', "paths R 1"]],
    ["none is listed", []],
  ])("does not know the files if %s", (_why, lines) => {
    const range = `${BEFORE}..${AFTER}`;
    const delivery = report(
      `push ${BEFORE} ${AFTER} refs/heads/main`,
      ...lines.map((line) => line.replace("R", range)),
    );
    expect(pushesOf(delivery)).toMatchObject([{ paths: null }]);
  });

  it.each([
    ["push", [`push ${BEFORE} refs/heads/main`]],
    ["after", [`push ${BEFORE} -x refs/heads/main`]],
  ])("names the field that is wrong: %s", (field, lines) => {
    expect(report(...lines)).toEqual({ kind: "malformed", field });
  });

  it("needs the name of its repository", () => {
    expect(readDelivery("git", "push", "")).toEqual({ kind: "malformed", field: "repository" });
  });
});

describe("Gitea", () => {
  it("reports a push", () => {
    expect(readDelivery("gitea", "push", giteaPush)).toEqual({
      kind: "pushes",
      repository: "gitea/webhooks",
      pushes: [
        {
          ref: "refs/heads/develop",
          before: giteaPush.before,
          after: giteaPush.after,
          message: "Webhooks Yay!\n",
          pusher: "gitea",
          paths: ["apps/shop/index.html"],
        },
      ],
    });
  });

  it("does not list the files if there are more commits, or if it did not read them", () => {
    expect(gitea({ ...giteaPush, total_commits: 6 })?.paths).toBeNull();
    const unread = giteaPush.commits.map((commit) => ({
      ...commit,
      added: null,
      removed: null,
      modified: null,
    }));
    expect(gitea({ ...giteaPush, commits: unread })?.paths).toBeNull();
  });

  it("tests the hook with a push that changes nothing", () => {
    expect(readDelivery("gitea", "push", { ...giteaPush, before: giteaPush.after })).toEqual({
      kind: "ping",
    });
  });

  it("knows the zeros of a repository with SHA-256", () => {
    expect(gitea({ ...giteaPush, before: "0".repeat(64) })?.before).toBeNull();
  });
});

describe("Bitbucket", () => {
  it("reports several refs at once", () => {
    const { new: now, old } = bitbucketPush.push.changes[0] ?? {};
    const after = now?.target.hash;
    const pusher = "emmap1";
    expect(pushesOf(readDelivery("bitbucket", "repo:push", bitbucketPush))).toEqual([
      {
        ref: "refs/heads/main",
        before: old?.target.hash,
        after,
        message: "new commit message\n",
        pusher,
        paths: null,
      },
      { ref: "refs/tags/v2", before: null, after, message: null, pusher, paths: null },
      { ref: "refs/heads/topic", before: old?.target.hash, after: null, message: null, pusher, paths: null },
    ]);
  });
});

it.each([
  ["github.com/acme/shop", "acme/shop", true],
  ["github.com/acme/shop", "Acme/Shop", true],
  ["git.test/group/sub/shop", "group/sub/shop", true],
  ["github.com/acme/shop-2", "acme/shop", false],
  ["github.com/big-acme/shop", "acme/shop", false],
  ["/srv/git/shop", "acme/shop", true],
])("compares the hook's repository %s with a delivery's %s", (key, name, expected) => {
  expect(isAboutRepository(key, name)).toBe(expected);
});
