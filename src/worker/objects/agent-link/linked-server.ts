import * as z from "zod/mini";

import { AccountId, type ProjectId, ServerId } from "#contract/ids.ts";
import { AccountRows } from "#worker/db/account-rows.ts";
import { findCredential } from "#worker/db/servers/find-credential.ts";
import { findPlacedProjects } from "#worker/db/projects/find-placed-projects.ts";

const SERVER_ID = "server id";
const ACCOUNT_ID = "account id";
/** Set where the server has been deleted, and where it may be. */
const GONE = "gone";
const REMOVAL_EXPECTED = "removal expected";

/** The server that a link is for: whose it is and whether it is removed, as the link keeps it, and what D1 says now. */
export class LinkedServer {
  readonly id: ServerId;
  readonly #kv: SyncKvStorage;
  readonly #env: Env;
  /** How often this instance has noted the removal. */
  #removals = 0;

  /** @param name the server's id; undefined in an object that its alarm wakes up, which is told no name */
  constructor(kv: SyncKvStorage, env: Env, name: string | undefined) {
    this.#kv = kv;
    this.#env = env;
    this.id = ServerId.parse(name ?? kv.get(SERVER_ID));
    if (kv.get(SERVER_ID) === undefined) kv.put(SERVER_ID, this.id);
  }

  /** null before the first link. */
  accountId(): AccountId | null {
    return z.nullable(AccountId).parse(this.#kv.get(ACCOUNT_ID) ?? null);
  }

  noteAccount(id: AccountId): void {
    this.#kv.put(ACCOUNT_ID, id);
  }

  /** Whether D1 did not have it when it was last asked. A restored database may have it again. */
  isRemoved(): boolean {
    return this.#kv.get(GONE) === true;
  }

  /** Whether what goes with its removal may still have to be done. */
  isRemovalExpected(): boolean {
    return this.#kv.get(REMOVAL_EXPECTED) === true;
  }

  /** It may be removed in a moment, or is, and not all that goes with it is done. */
  expectRemoval(): void {
    this.#kv.put(REMOVAL_EXPECTED, true);
  }

  /** All of that has been done, or it was not removed. */
  endRemoval(): void {
    this.#kv.delete(REMOVAL_EXPECTED);
  }

  noteRemoved(): void {
    this.#removals += 1;
    this.#kv.put(GONE, true);
  }

  /**
   * The credential that the server's agent has in D1; null: there is no such server. Where D1 has the server, it counts
   * as removed no longer. @throws where D1 does not answer
   */
  async credential() {
    const removals = this.#removals;
    const found = await findCredential(this.#rows(), this.id);
    // An answer from before the removal says nothing about it.
    if (found !== null && removals === this.#removals && this.isRemoved()) this.#kv.delete(GONE);
    return found;
  }

  /** Those of the projects that D1 puts on this server. @throws where D1 does not answer */
  async placed(projectIds: readonly ProjectId[]): Promise<ProjectId[]> {
    return await findPlacedProjects(this.#rows(), this.id, projectIds);
  }

  #rows(): AccountRows {
    return new AccountRows(this.#env.DB, AccountId.parse(this.accountId()));
  }
}
