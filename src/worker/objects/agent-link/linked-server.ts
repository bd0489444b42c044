import * as z from "zod/mini";

import { AccountId, type ProjectId, ServerId } from "#contract/ids.ts";
import { AccountRows } from "#worker/db/account-rows.ts";
import { findCredential } from "#worker/db/servers/server-records.ts";
import { findWatchedBranches } from "#worker/db/projects/find-watched-branches.ts";
import { findPlacedProjects } from "#worker/db/projects/list-projects.ts";
import { findTraffic } from "#worker/db/servers/server-traffic.ts";

const SERVER_ID = "server id";
const ACCOUNT_ID = "account id";
/** Set when the server was deleted, and when it may be deleted soon: until when, in Unix milliseconds. */
const GONE = "gone";
const REMOVAL_EXPECTED = "removal expected";
/** How soon D1 must have a deletion that was announced. */
const REMOVAL_MS = 60_000;
/** The name is from when this was only maintenance. */
const TRAFFIC_DUE = "maintenance due";

/** The server of a link: its account and whether it was removed, from the link's storage; its credential and projects, from D1. */
export class LinkedServer {
  readonly id: ServerId;
  readonly #kv: SyncKvStorage;
  readonly #env: Env;
  /** How often this instance has noted the removal. */
  #removals = 0;

  /** @param name the server's id; undefined in an object that was woken by its alarm */
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

  /** Whether the last read of D1 did not find the server. A restored database may have it again. */
  isRemoved(): boolean {
    return this.#kv.get(GONE) === true;
  }

  /**
   * When D1 says for certain whether the server was deleted, in Unix milliseconds; null: no deletion is expected, or its
   * clean-up has finished.
   */
  removalCheckAt(): number | null {
    return z.nullable(z.number()).parse(this.#kv.get(REMOVAL_EXPECTED) ?? null);
  }

  /** The server may be deleted soon, or it is deleted and the clean-up has not finished. @param now Unix milliseconds */
  expectRemoval(now: number): void {
    this.#kv.put(REMOVAL_EXPECTED, now + REMOVAL_MS);
  }

  /**
   * D1 had the server when it was read at this time (Unix milliseconds). Before the check is due, the request that deletes
   * it may still be running.
   */
  notRemovedAt(readAt: number): void {
    const checkAt = this.removalCheckAt();
    if (checkAt !== null && checkAt <= readAt) this.endRemoval();
  }

  /** The clean-up has finished, or the server was not deleted. */
  endRemoval(): void {
    this.#kv.delete(REMOVAL_EXPECTED);
  }

  noteRemoved(): void {
    this.#removals += 1;
    this.#kv.put(GONE, true);
  }

  /**
   * Reads the server's credential from D1; null: the server does not exist. If it exists, it no longer counts as
   * removed. @throws if D1 does not answer
   */
  async credential() {
    const removals = this.#removals;
    const found = await findCredential(this.rows(), this.id);
    // A read that began before the removal proves nothing.
    if (found !== null && removals === this.#removals && this.isRemoved()) this.#kv.delete(GONE);
    return found;
  }

  /** Which of the projects are on this server, according to D1. @throws if D1 does not answer */
  async placed(projectIds: readonly ProjectId[]): Promise<ProjectId[]> {
    return await findPlacedProjects(this.rows(), this.id, projectIds);
  }

  /** Whether it is drained, and the maintenance of its projects, according to D1. @throws if D1 does not answer */
  async traffic() {
    return await findTraffic(this.rows(), this.id);
  }

  /**
   * The branches that its agent looks at, and the projects whose pushes wait for it, according to D1.
   * @throws if D1 does not answer
   */
  async watchedBranches() {
    return await findWatchedBranches(this.rows(), this.id);
  }

  /** Whether the agent has connected and not yet been sent `traffic`. */
  isTrafficDue(): boolean {
    return this.#kv.get(TRAFFIC_DUE) === true;
  }

  noteTrafficDue(): void {
    this.#kv.put(TRAFFIC_DUE, true);
  }

  noteTrafficSent(): void {
    this.#kv.delete(TRAFFIC_DUE);
  }

  /** The rows of its account. @throws before the first link */
  rows(): AccountRows {
    return new AccountRows(this.#env.DB, AccountId.parse(this.accountId()));
  }
}
