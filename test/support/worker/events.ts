import { env } from "cloudflare:workers";

import type { AccountId, ProjectId } from "#contract/ids.ts";
import { AccountRows } from "#worker/db/account-rows.ts";
import type { NewEvent } from "#worker/db/changes/change-writes.ts";
import { storedChange, storedChangeWrites } from "#worker/db/changes/stored-change.ts";
import { announce } from "#worker/objects/event-feed/announce.ts";
import { ids } from "./account.ts";

const actor = { type: "token", id: "tok_1", name: "test" } as const;

/** An event of the world's project: its name has changed. */
export function renamed({ projectId }: { readonly projectId: ProjectId }, name: string): NewEvent {
  const data = { project: { id: projectId, name }, changed: ["name"] };
  return { id: ids.event(), type: "project.updated", data, actor, createdAt: Date.now() };
}

/** An event that is not about a project. */
export function sealed(): NewEvent {
  const data = { seal: { number: 1, last_entry: 1, hash: "00" } };
  return {
    id: ids.event(),
    type: "audit.sealed",
    data,
    actor: { type: "system", id: null, name: "Gantry" },
    createdAt: Date.now(),
  };
}

/** Writes events to D1, without an announcement. */
export async function addEvents(accountId: AccountId, added: readonly NewEvent[]): Promise<void> {
  const rows = new AccountRows(env.DB, accountId);
  const changes = added.map((event) => storedChange(event, null));
  await rows.runTogether(storedChangeWrites(rows, changes));
}

/** Writes events to D1 and announces them, as an operation does. */
export async function publish(accountId: AccountId, added: readonly NewEvent[]): Promise<void> {
  await addEvents(accountId, added);
  await announce(env.EVENT_FEED, accountId);
}
