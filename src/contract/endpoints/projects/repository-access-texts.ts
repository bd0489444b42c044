import { TestRepositoryInput } from "#contract/endpoints/projects/project-inputs.ts";
import * as access from "#contract/endpoints/projects/repository-access.ts";
import { keySettingsOf } from "#contract/forge.ts";
import { example } from "#contract/reference/examples.ts";
import type { OperationTexts } from "#contract/reference/operation-text.ts";
import { prose } from "#contract/reference/prose.ts";
import { choice, object, type SchemaText } from "#contract/reference/schemas/schema-text.ts";

/** The deploy key in the examples. */
export const exampleKey = {
  public_key:
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl gantry-shop@web-1",
  fingerprint: "SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU",
} as const;

export const repositoryAccessTexts = {
  getDeployKey: {
    summary: "Get the deploy key of a project",
    description: prose`
      Returns the public half of the key with which the project's server reads the repository over ssh, and the steps to
      add it to the repository. The agent creates the key when it is needed for the first time, so the first request
      needs a connected server (409 \`server_offline\`). Later requests do not.

      The private key never leaves the server. The key changes when the project moves to another server, or when its
      server is installed again.`,
    answer: {
      ...exampleKey,
      forge: "github",
      settings_url: "https://github.com/acme/shop/settings/keys/new",
      steps: [...keySettingsOf("git@github.com:acme/shop.git").steps],
    },
  },
  testRepository: {
    summary: "Test whether the server can read the repository",
    description: prose`
      Asks the project's server to list the branch in the repository, with the credentials of a deployment, and returns
      the result within seconds. Nothing is fetched or deployed. Without a body, the project's own settings are tested;
      send \`repository\` or \`branch\` to test others before you save them.

      The status is 200 for a failed test too: \`ok\` is the result. \`tried\` names the key or login that was offered.
      Git hosts do not tell whether a repository is missing or hidden, so \`access_denied\` means either.`,
    body: {},
    answer: {
      ok: true,
      branch: "main",
      commit_sha: example.sha,
      tried: `the deploy key ${exampleKey.fingerprint}`,
      host_key: {
        host: "github.com",
        type: "ED25519",
        fingerprint: "SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU",
        is_new: false,
      },
    },
  },
} as const satisfies Partial<OperationTexts>;

const keyFields = {
  public_key: "The public key in one line: its type, the key, and a comment with the project and the server.",
  fingerprint: "The fingerprint of the key, as git hosts show it.",
};

export const repositoryAccessSchemas = {
  DeployKeySummary: object(access.DeployKeySummary, "The public half of a project's deploy key.", keyFields),
  DeployKey: object(access.DeployKey, "A project's deploy key, with the steps to add it to the repository.", {
    ...keyFields,
    forge: "The kind of git host, according to the repository's address.",
    settings_url: "The page to add the key on. `null` if the repository's address does not tell it.",
    steps: "What to do there, one sentence each.",
  }),
  Forge: choice(access.Forge, "A kind of git host.", {
    github: "GitHub",
    gitlab: "GitLab.com",
    bitbucket: "Bitbucket",
    gitea: "Gitea, Forgejo or Codeberg",
    other: "another host, or one of these at an address that does not tell it",
  }),
  TestRepositoryInput: object(TestRepositoryInput, "What to test instead of the project's settings.", {
    repository: "The repository to read. If omitted, the project's.",
    branch: "The branch or tag to look for. If omitted, the project's.",
  }),
  HostKey: object(access.HostKey, "The ssh key of a git host.", {
    host: "The host, with its port in the form `[host]:port` if it is not 22.",
    type: "The type of the key.",
    fingerprint: "The fingerprint of the key. Compare it with the fingerprint that the host publishes.",
    is_new: "Whether the key was trusted just now, because the server had not connected to the host before.",
  }),
  RepositoryTestCode: choice(access.RepositoryTestCode, "Why the test did not find the branch.", {
    access_denied: "the host accepted no key or login, or the repository does not exist",
    branch_not_found: "the repository can be read, and has no branch or tag of this name",
    host_key_changed: "the host sends another ssh key than the known key",
    host_key_unknown: "the host's ssh key is not known, and the server's policy accepts no new ones",
    unreachable: "the host cannot be reached from the server",
    timed_out: "the host did not answer in time",
    refused_by_policy: "the server's policy does not allow the repository",
    too_many_tests: "the server runs too many tests at the moment",
    failed: "git failed for another reason, which `message` contains",
  }),
  RepositoryTest: object(access.RepositoryTest, "The result of a repository test.", {
    ok: "Whether the server can read the branch.",
    branch: "The tested branch or tag.",
    commit_sha: "The commit that it points to.",
    tried: "What the server offered to the host: a key or a login.",
    host_key: "The key of the ssh host. `null` if the repository is not read over ssh.",
    code: "Why the test failed.",
    message: "A sentence for a person: what failed, and what to do.",
    steps_url: "The dashboard page with the deploy key and the steps to add it.",
  }),
} satisfies Record<string, SchemaText>;
