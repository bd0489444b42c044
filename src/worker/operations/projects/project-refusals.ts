import type { ServerId } from "#contract/ids.ts";
import { refuse } from "#contract/problems.ts";

// The refusals that creating and updating a project share.

export function nameTaken(name: string) {
  return refuse("name_taken", `The account already has a project named ${name}.`);
}

export function domainTaken(domain: string) {
  return refuse("domain_taken", `The domain ${domain} belongs to another project.`);
}

export function unknownServer(serverId: ServerId) {
  return refuse("invalid_request", `There is no server ${serverId} in this account.`, [
    { pointer: "/server_id", message: "is not a server of this account" },
  ]);
}
