import type { RepositoryTest } from "#contract/endpoints/projects/repository-access.ts";

/** The result of a repository test as a sentence. It says that the server cannot read the repository only if it cannot. */
export function repositoryVerdict(test: RepositoryTest): string {
  if (test.ok) return "The server can read the repository.";
  switch (test.code) {
    case "branch_not_found":
      return "The server can read the repository, but not this branch.";
    case "refused_by_policy":
      return "The server's policy does not allow this repository or branch.";
    case "timed_out":
      return "The host of the repository did not answer.";
    case "too_many_tests":
      return "The server did not test the repository.";
    case "access_denied":
    case "host_key_changed":
    case "host_key_unknown":
    case "unreachable":
    case "failed":
      return "The server cannot read the repository.";
  }
}
