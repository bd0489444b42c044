import * as z from "zod/mini";

import { WebhookSettings } from "#contract/endpoints/webhooks/settings.ts";
import { AccountId, EventId, ProjectId, WebhookId } from "#contract/ids.ts";
import { storedAs } from "#contract/stored.ts";
import { healthy, TargetHealth } from "#domain/outlet/health.ts";
import type { ProjectSelection } from "#domain/outlet/selection.ts";
import { StoredEntry } from "#worker/db/changes/stored-change.ts";

/**
 * A webhook's target, and the secrets that sign its deliveries. `until`: when a replaced secret stops signing, in Unix
 * milliseconds; null: the current one.
 */
const StoredTarget = z.strictObject({
  accountId: AccountId,
  webhookId: WebhookId,
  settings: WebhookSettings,
  secrets: z.array(z.strictObject({ secret: z.string(), until: z.nullable(z.number()) })),
  /** The address of this installation. */
  origin: z.string(),
  createdAt: z.number(),
});
export type StoredTarget = z.infer<typeof StoredTarget>;
const storedTarget = storedAs(StoredTarget);

/** Why and since when a webhook gets nothing. `eventId`: of the event that tells it; null: somebody disabled it. */
const Disabled = z.strictObject({
  reason: z.nullable(z.string()),
  eventId: z.nullable(EventId),
  at: z.number(),
});

const StoredState = z.strictObject({
  health: TargetHealth,
  disabled: z.nullable(Disabled),
  pausedUntil: z.nullable(z.number()),
  /** It may be deleted soon: nothing is sent until D1 was asked. */
  isRetired: z.boolean(),
  /** When to ask D1 next whether the webhook still exists. */
  checkAt: z.number(),
  /** Since when D1 does not have it; null: D1 had it at the last check. */
  missingSince: z.nullable(z.number()),
  /** Rises with each change that must be written to D1; `written` is the last written change. */
  revision: z.int(),
  written: z.int(),
});
export type StoredState = z.infer<typeof StoredState>;
const storedState = storedAs(StoredState);

/** A request that enables or disables the webhook, with the id of its event and its audit entry. */
const StoredSwitch = z.strictObject({ isEnabled: z.boolean(), eventId: EventId, entry: StoredEntry });
export type StoredSwitch = z.infer<typeof StoredSwitch>;
const storedSwitch = storedAs(StoredSwitch);

/**
 * The projects whose deliveries may be sent and shown, as D1 has them or is about to. `changedAt`: when a request last
 * changed them, in Unix milliseconds.
 */
const StoredSelection = z.strictObject({
  projectIds: z.nullable(z.array(ProjectId)),
  changedAt: z.number(),
});
type StoredSelection = z.infer<typeof StoredSelection>;
const storedSelection = storedAs(StoredSelection);

const HOUR_MS = 60 * 60 * 1000;
/** How long after its creation a webhook must be in D1. Until then the request that creates it may still be running. */
export const CREATION_MS = HOUR_MS;
/**
 * A request changes the object before it changes D1. After this time the object compares itself with D1. If the request
 * does not reach D1, its client has this time to repeat the request.
 */
export const CHECK_MS = 60_000;
export const CHECK_EVERY_MS = 24 * HOUR_MS;
/** How long a replaced secret signs too, so that receivers can switch. */
export const OVERLAP_MS = 24 * HOUR_MS;
const MAX_SECRETS = 4;

const TARGET = "target";
const STATE = "state";
const SWITCH = "switch";
const SELECTION = "selection";

/**
 * A webhook's address and secrets, which are nowhere else, and the state of its target. All methods are synchronous and
 * write only to the object's storage. Nothing is stored before `create`.
 */
export class OutletRecord {
  readonly #kv: SyncKvStorage;
  /** The values read last: a delivery reads both several times. */
  #cached: { target?: StoredTarget | null; state?: StoredState; selection?: StoredSelection } = {};

  constructor(kv: SyncKvStorage) {
    this.#kv = kv;
  }

  /** null: the object belongs to no webhook. */
  target(): StoredTarget | null {
    if (this.#cached.target !== undefined) return this.#cached.target;
    const value = this.#kv.get(TARGET);
    return (this.#cached.target = value === undefined ? null : storedTarget.parse(value));
  }

  /** @throws if the object belongs to no webhook */
  state(): StoredState {
    return (this.#cached.state ??= storedState.parse(this.#kv.get(STATE)));
  }

  /** Call this after a transaction was rolled back, or the storage was emptied. */
  forgetCache(): void {
    this.#cached = {};
  }

  /** A repeated creation changes nothing. */
  create(target: Omit<StoredTarget, "secrets">, secret: string | null, projectIds: ProjectSelection): void {
    if (this.target() !== null) return;
    this.select(projectIds, target.createdAt);
    const secrets = secret === null ? [] : [{ secret, until: null }];
    this.#saveTarget({ ...target, secrets });
    this.#saveState({
      health: healthy,
      disabled: null,
      pausedUntil: null,
      isRetired: false,
      checkAt: target.createdAt + CREATION_MS,
      missingSince: null,
      revision: 0,
      written: 0,
    });
  }

  change(settings: WebhookSettings): void {
    this.#changeTarget((target) => ({ ...target, settings }));
  }

  /** The projects whose deliveries may be sent and shown, and when a request last changed them. */
  selection(): StoredSelection {
    return (this.#cached.selection ??= storedSelection.parse(
      this.#kv.get(SELECTION) ?? { projectIds: null, changedAt: 0 },
    ));
  }

  select(projectIds: ProjectSelection, changedAt: number): void {
    const selection = { projectIds: projectIds === null ? null : [...projectIds], changedAt };
    this.#kv.put(SELECTION, selection);
    this.#cached.selection = selection;
  }

  /** The replaced secret signs for another day, so that a receiver can have either. */
  rotate(secret: string, now: number): void {
    this.#changeTarget((target) => {
      // A retry of the request.
      if (target.secrets[0]?.secret === secret) return target;
      const replaced = activeSecrets(target, now).map((one) => ({
        ...one,
        until: one.until ?? now + OVERLAP_MS,
      }));
      return { ...target, secrets: [{ secret, until: null }, ...replaced].slice(0, MAX_SECRETS) };
    });
  }

  update(changes: Partial<StoredState>): void {
    this.#saveState({ ...this.state(), ...changes });
  }

  /** As `update`, for a change that D1 must get. */
  updateShown(changes: Partial<StoredState>): void {
    this.update({ ...changes, revision: this.state().revision + 1 });
  }

  /** The last switch, until D1 was compared with it; null: D1 has it. */
  lastSwitch(): StoredSwitch | null {
    const value = this.#kv.get(SWITCH);
    return value === undefined ? null : storedSwitch.parse(value);
  }

  /** @param by null: D1 has the state already */
  noteSwitch(by: StoredSwitch | null): void {
    if (by === null) this.#kv.delete(SWITCH);
    else this.#kv.put(SWITCH, by);
  }

  /** D1 has it. A later one stays. */
  endSwitch({ eventId }: StoredSwitch): void {
    if (this.lastSwitch()?.eventId === eventId) this.#kv.delete(SWITCH);
  }

  noteWritten(revision: number): void {
    this.update({ written: Math.max(this.state().written, revision) });
  }

  #changeTarget(change: (target: StoredTarget) => StoredTarget): void {
    const target = this.target();
    if (target !== null) this.#saveTarget(change(target));
  }

  #saveTarget(target: StoredTarget): void {
    this.#kv.put(TARGET, target);
    this.#cached.target = target;
  }

  #saveState(state: StoredState): void {
    this.#kv.put(STATE, state);
    this.#cached.state = state;
  }
}

/** The secrets that sign at this time, the current one first. */
export function activeSecrets({ secrets }: StoredTarget, now: number): StoredTarget["secrets"] {
  return secrets.filter(({ until }) => until === null || until > now);
}
